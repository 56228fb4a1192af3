import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { makeDataDir, type RunningService, removeDataDir, run, serve } from "../../testing/running-service.ts";

let dataDir: string;
let service: RunningService;
beforeAll(async () => {
  dataDir = makeDataDir();
  const feed = join(dataDir, "feed.jsonl");
  const product = {
    id: "1",
    title: "Oak shelf",
    description: "",
    link: "https://shop.example/1",
    image_link: "https://shop.example/1.jpg",
    price: "20 USD",
    availability: "in_stock",
  };
  writeFileSync(feed, `${JSON.stringify(product)}\n`);
  expect(await command(["import", feed, "--source", "catalog"])).toMatchObject({ code: 0 });
  service = await serve({ DATA_DIR: dataDir, THREADS: "2" });
}, 60_000);
afterAll(async () => {
  service?.child.kill();
  await service?.exit;
  removeDataDir(dataDir);
});

async function command(args: readonly string[]) {
  const { exit, output } = run(args, { DATA_DIR: dataDir });
  return { code: await exit, output: output() };
}

async function found(text: string): Promise<number> {
  // A connection of its own, so that both threads are asked.
  const url = `${service.url}/api/v1/search/trial?q=${text}`;
  const response = await fetch(url, { headers: { connection: "close" } });
  const { Products } = await response.json();
  return Products.length;
}

it("changes what a running service finds, on all threads, within two seconds", async () => {
  await vi.waitFor(async () => expect(await found("shelf")).toBe(1), { timeout: 10_000 });
  expect(await found("plankholder")).toBe(0);
  expect(await command(["synonyms", "add", "plankholder => shelf"])).toMatchObject({ code: 0 });
  const changedAt = performance.now();
  // Many in a row: whichever thread answers, none may still have the old synonyms.
  const tenInARow = async () => Promise.all(Array.from({ length: 10 }, () => found("plankholder")));
  await vi.waitFor(async () => expect(await tenInARow()).toEqual(Array(10).fill(1)), {
    timeout: 2000,
    interval: 100,
  });
  expect(performance.now() - changedAt).toBeLessThan(2500);
});

it("lists, tests, imports and removes rules", async () => {
  const file = join(dataDir, "synonyms.txt");
  writeFileSync(file, "# ours\nglimmer, lamp\nflask => bottle\n");
  const imported = await command(["synonyms", "import", file, "--json"]);
  expect(JSON.parse(imported.output)).toEqual({ added: ["glimmer, lamp", "flask => bottle"] });
  expect((await command(["synonyms", "list", "--added"])).output.trim().split("\n")).toEqual([
    "flask => bottle",
    "glimmer, lamp",
    "plankholder => shelf",
  ]);
  expect((await command(["synonyms", "test", "a glimmer"])).output).toBe("glimmer: also lamp\n");
  expect(await command(["synonyms", "remove", "lamp, glimmer"])).toMatchObject({ code: 0 });
  expect((await command(["synonyms", "test", "a glimmer"])).output).toBe("No word of it has synonyms.\n");
  expect(await command(["synonyms", "remove", "lamp, glimmer"])).toMatchObject({ code: 1 });
  expect(await command(["synonyms", "add", "alone"])).toMatchObject({
    code: 1,
    output: expect.stringContaining('write "couch, sofa"'),
  });
});
