import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  serveReady,
} from "../../testing/running-service.ts";

let dataDir: string;
let service: RunningService;
beforeAll(async () => {
  dataDir = makeDataDir();
  const feed = join(dataDir, "feed.jsonl");
  const product = {
    _id: "1",
    name: "Oak shelf",
    storeName: "Shop",
    description: "",
    url: "https://shop.example/1",
    images: [],
    price: 20,
    availability: "in_stock",
  };
  writeFileSync(feed, `${JSON.stringify(product)}\n`);
  expect(await command("import", feed, "--source", "catalog")).toMatchObject({ code: 0 });
  service = await serveReady({ DATA_DIR: dataDir, THREADS: "2", TRIAL_RATE_LIMIT: "0" });
});
afterAll(async () => {
  service?.child.kill();
  await service?.exit;
  removeDataDir(dataDir);
});

const command = (...args: string[]) => runCommand(args, { DATA_DIR: dataDir });

/** How many products each of several requests finds. Each has its own connection, so that both threads respond. */
async function counts(text: string): Promise<Set<number>> {
  const requests = Array.from({ length: 8 }, async () => {
    const url = `${service.url}/api/v1/search/trial?q=${text}`;
    const response = await fetch(url, { headers: { connection: "close" } });
    const { Products }: { Products: unknown[] } = JSON.parse(await response.text());
    return Products.length;
  });
  return new Set(await Promise.all(requests));
}

/** Milliseconds until all threads have the result. */
async function untilAllFind(text: string, count: number): Promise<number> {
  const startedAt = performance.now();
  // Consecutive, because a thread may by chance get none of the requests.
  for (let same = 0; same < 3; ) {
    const found = await counts(text);
    same = found.size === 1 && found.has(count) ? same + 1 : 0;
  }
  return performance.now() - startedAt;
}

test("a change applies on all threads of a running service within two seconds", {
  timeout: 60_000,
}, async () => {
  await untilAllFind("shelf", 1);
  expect(await counts("plankholder")).toEqual(new Set([0]));
  expect(await command("synonyms", "add", "plankholder => shelf")).toMatchObject({ code: 0 });
  expect(await untilAllFind("plankholder", 1)).toBeLessThan(20_000);
  expect(await command("synonyms", "remove", "plankholder => shelf")).toMatchObject({ code: 0 });
  expect(await untilAllFind("plankholder", 0)).toBeLessThan(20_000);
});

test("rules are imported, listed, tested and removed", { timeout: 60_000 }, async () => {
  const file = join(dataDir, "synonyms.txt");
  writeFileSync(file, "# ours\nglimmer, lamp\nbottling => bottle, flagon\n");
  const imported = await command("synonyms", "import", file, "--json");
  expect(JSON.parse(imported.output)).toEqual({ added: ["glimmer, lamp", "bottling => bottle, flagon"] });
  expect((await command("synonyms", "list", "--added")).output).toBe(
    "bottling => bottle, flagon\nglimmer, lamp\n",
  );
  expect((await command("synonyms", "test", "a glimmer")).output).toBe("glimmer: lamp\n");
  expect(await command("synonyms", "remove", "lamp, Glimmer")).toMatchObject({
    code: 0,
    output: "Removed: glimmer, lamp\n",
  });
  expect((await command("synonyms", "test", "a glimmer", "--json")).output).toBe("[]\n");
});

test("a refused change exits with 1 and says what to write", { timeout: 60_000 }, async () => {
  expect(await command("synonyms", "add", "alone")).toMatchObject({
    code: 1,
    output: 'line 1: "alone" is not a rule. Write "couch, sofa" or "sneakers => running shoes".\n',
  });
  expect(await command("synonyms", "remove", "couch, sofa")).toMatchObject({
    code: 1,
    output: 'There is no rule "couch, sofa". Similar rules: "couch, settee, sofa".\n',
  });
  expect(await command("synonyms", "import", join(dataDir, "absent.txt"))).toMatchObject({
    code: 1,
    output: expect.stringContaining("absent.txt cannot be read. Name a text file"),
  });
});
