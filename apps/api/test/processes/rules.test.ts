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
let token: string;
beforeAll(async () => {
  dataDir = makeDataDir();
  const feed = join(dataDir, "feed.jsonl");
  const product = (_id: string, name: string) => ({
    _id,
    name,
    storeName: "Shop",
    description: "",
    url: `https://shop.example/${_id}`,
    images: [],
    price: 20,
    availability: "in_stock",
  });
  writeFileSync(feed, ["1", "2"].map((id) => JSON.stringify(product(id, `Oak shelf ${id}`))).join("\n"));
  expect(await command("import", feed, "--source", "catalog")).toMatchObject({ code: 0 });
  const args = ["--account", "acme", "--scopes", "search,merchandising", "--json"];
  token = JSON.parse((await command("token", "create", ...args)).output).token;
  service = await serveReady({ DATA_DIR: dataDir, THREADS: "2", TOKEN_RATE_LIMIT: "0" });
});
afterAll(async () => {
  service?.child.kill();
  await service?.exit;
  removeDataDir(dataDir);
});

const command = (...args: string[]) => runCommand(args, { DATA_DIR: dataDir });

/** How many products each of several requests finds. Each has its own connection, so that both threads respond. */
async function counts(): Promise<Set<number>> {
  const requests = Array.from({ length: 8 }, async () => {
    const response = await fetch(`${service.url}/api/v1/search/catalog?q=shelf`, {
      headers: { connection: "close", authorization: `Bearer ${token}` },
    });
    const { count }: { count: number } = JSON.parse(await response.text());
    return count;
  });
  return new Set(await Promise.all(requests));
}

async function firstId(): Promise<string> {
  const response = await fetch(`${service.url}/api/v1/search/trial?q=shelf`);
  const { Products }: { Products: { _id: string }[] } = JSON.parse(await response.text());
  return Products[0]?._id ?? "";
}

/** Milliseconds until all threads have the result. */
async function untilAllFind(count: number): Promise<number> {
  const startedAt = performance.now();
  // Consecutive, because a thread may by chance get none of the requests.
  for (let same = 0; same < 3; ) {
    const found = await counts();
    same = found.size === 1 && found.has(count) ? same + 1 : 0;
  }
  return performance.now() - startedAt;
}

test("rules of the command apply on all threads of a running service within two seconds", {
  timeout: 60_000,
}, async () => {
  await untilAllFind(2);
  const rule = { name: "Without the first", when: { query: "shelf" }, hide: [await firstId()] };
  const added = await command("rules", "add", JSON.stringify(rule), "--json");
  const [{ id }] = JSON.parse(added.output).added;
  expect(await untilAllFind(1)).toBeLessThan(20_000);
  expect((await command("rules", "test", "Shelf!")).output).toBe(`${id}  Without the first  (is "shelf")\n`);
  expect((await command("rules", "test", "oak shelf", "--json")).output).toBe("[]\n");
  expect((await command("rules", "remove", id)).output).toBe(`Removed: ${id}\n`);
  expect(await untilAllFind(2)).toBeLessThan(20_000);
});

test("rules are imported as they are listed, and what is refused says why", { timeout: 60_000 }, async () => {
  const file = join(dataDir, "rules.json");
  const rule = { name: "Later", when: { query: "lamp", match: "contains" }, enabled: false };
  writeFileSync(file, `${JSON.stringify(rule)}\n${JSON.stringify({ ...rule, name: "Never" })}\n`);
  expect(await command("rules", "import", file)).toMatchObject({ code: 0 });
  const listed = await command("rules", "list", "--json");
  expect(JSON.parse(listed.output)).toMatchObject([rule, { name: "Never" }]);
  writeFileSync(file, listed.output);
  expect(await command("rules", "import", file)).toMatchObject({ code: 0 });
  expect(JSON.parse((await command("rules", "list", "--json")).output)).toHaveLength(4);
  const refused = await command("rules", "add", '{"name":"No condition"}');
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("Rule 1: when: is missing") });
  expect(await command("rules", "remove", "rule_0")).toMatchObject({
    code: 1,
    output: expect.stringContaining('There is no rule "rule_0"'),
  });
});
