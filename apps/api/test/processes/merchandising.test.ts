import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@product-search/client";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nativeLine } from "../../testing/import-fixture.ts";
import { runCommand } from "../../testing/run-command.ts";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  serveReady,
} from "../../testing/running-service.ts";
import { startTestCluster, type TestCluster } from "../../testing/servers/cluster.ts";

describe("merchandising", () => {
  let dataDir: string;
  let service: RunningService;
  let token: string;
  beforeAll(async () => {
    dataDir = makeDataDir();
    const feed = join(dataDir, "feed.jsonl");
    writeFileSync(feed, ["1", "2"].map((key) => nativeLine(key, { name: `Oak shelf ${key}` })).join(""));
    expect(await command("import", feed, "--source", "catalog")).toMatchObject({ code: 0 });
    const args = ["--account", "acme", "--scopes", "search,merchandising", "--json"];
    token = JSON.parse((await command("token", "create", ...args)).output).token;
    service = await serveReady({
      DATA_DIR: dataDir,
      THREADS: "2",
      TOKEN_RATE_LIMIT: "0",
      TRIAL_RATE_LIMIT: "0",
    });
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
      const response = await fetch(`${service.url}/api/v1/search/catalog?q=${text}`, {
        headers: { connection: "close", authorization: `Bearer ${token}` },
      });
      const { count }: { count: number } = JSON.parse(await response.text());
      return count;
    });
    return new Set(await Promise.all(requests));
  }

  /** Resolves when all threads have the result. */
  async function untilAllFind(text: string, count: number): Promise<void> {
    // Consecutive, because a thread may by chance get none of the requests.
    for (let same = 0; same < 3; ) {
      const found = await counts(text);
      same = found.size === 1 && found.has(count) ? same + 1 : 0;
    }
  }

  /** Two seconds where nothing else runs; the rest is for a busy machine. */
  const timeout = 60_000;

  async function firstId(): Promise<string> {
    const response = await fetch(`${service.url}/api/v1/search/trial?q=shelf`);
    const { Products }: { Products: { _id: string }[] } = JSON.parse(await response.text());
    return Products[0]?._id ?? "";
  }

  describe("rules", () => {
    test("of the command apply on all threads of a running service", { timeout }, async () => {
      await untilAllFind("shelf", 2);
      const rule = { name: "Without the first", when: { query: "shelf" }, hide: [await firstId()] };
      const added = await command("rules", "add", JSON.stringify(rule), "--json");
      const [{ id }] = JSON.parse(added.output).added;
      await untilAllFind("shelf", 1);
      expect((await command("rules", "test", "Shelf!")).output).toBe(
        `${id}  Without the first  (is "shelf")\n`,
      );
      expect((await command("rules", "test", "oak shelf", "--json")).output).toBe("[]\n");
      expect((await command("rules", "remove", id)).output).toBe(`Removed: ${id}\n`);
      await untilAllFind("shelf", 2);
    });

    test("are imported as they are listed, and what is refused says why", async () => {
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
  });

  describe("synonyms", () => {
    test("of the command apply on all threads of a running service", { timeout }, async () => {
      expect(await counts("plankholder")).toEqual(new Set([0]));
      expect(await command("synonyms", "add", "plankholder => shelf")).toMatchObject({ code: 0 });
      await untilAllFind("plankholder", 2);
      expect(await command("synonyms", "remove", "plankholder => shelf")).toMatchObject({ code: 0 });
      await untilAllFind("plankholder", 0);
    });

    test("are imported, listed, tested and removed", async () => {
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

    test("that are refused say what to write, and exit with 1", async () => {
      for (const [args, output] of [
        [
          ["add", "alone"],
          'line 1: "alone" is not a rule. Write "couch, sofa" or "sneakers => running shoes".\n',
        ],
        [
          ["remove", "couch, sofa"],
          'There is no rule "couch, sofa". Similar rules: "couch, settee, sofa".\n',
        ],
      ] as const)
        expect(await command("synonyms", ...args)).toMatchObject({ code: 1, output });
      expect(await command("synonyms", "import", join(dataDir, "absent.txt"))).toMatchObject({
        code: 1,
        output: expect.stringContaining("absent.txt cannot be read. Name a text file"),
      });
    });
  });
});

const tokenArgs = ["token", "create", "--account", "acme", "--scopes", "search,merchandising", "--json"];
const clientOf = ({ url }: RunningService, token: string) =>
  createClient({ baseUrl: `${url}/api/v1`, token });
/** Searches are counted within five seconds. */
const counted = { timeout: 15_000, interval: 100 };

async function untilReady({ url }: RunningService): Promise<void> {
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 300_000 }).toBe(200);
}

describe("a service on SQLite", () => {
  let dataDir: string;
  let service: RunningService;
  let token: string;
  const command = async (...args: string[]) => {
    const { code, output } = await runCommand(args, { DATA_DIR: dataDir });
    expect(code, output).toBe(0);
    return output;
  };
  beforeAll(async () => {
    dataDir = makeDataDir();
    await command("sample", "--products", "200");
    token = JSON.parse(await command(...tokenArgs)).token;
    service = await serveReady({ DATA_DIR: dataDir, THREADS: "2", ANALYTICS_DAYS: "30" });
  });
  afterAll(async () => {
    service?.child.kill();
    await service?.exit;
    removeDataDir(dataDir);
  });

  test("counts the searches of all threads, and shows them by command and as a metric", async () => {
    const client = clientOf(service, token);
    const searches = Array.from({ length: 20 }, () => client.searchCatalog({ q: "zzqqxx" }));
    await Promise.all([...searches, client.searchCatalog({ q: "lamp" })]);
    await expect
      .poll(async () => (await client.searchInsights({ kind: "noResults" })).searches, counted)
      .toMatchObject([{ query: "zzqqxx", searches: 20, results: 0 }]);
    expect(await command("insights")).toMatch(
      /zzqqxx +20 [\s\S]*21 searches, 20 without a result, 0 clicks\./,
    );
    const json = JSON.parse(await command("insights", "--kind", "noResults", "--json"));
    expect(json).toMatchObject({ totals: { searches: 21, noResults: 20 }, searches: [{ query: "zzqqxx" }] });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/product_search_catalog_searches_total\{found="no"\} 20/);
  });

  test("stores what waits when it stops", async () => {
    await clientOf(service, token).searchCatalog({ q: "last words" });
    // The HTTP thread has not passed it on, and it could still be continued.
    service.child.kill();
    expect(await service.exit).toBe(0);
    expect(await command("insights")).toContain("last words");
  });
});

describeOnPostgres("two nodes on one PostgreSQL", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster({ ANALYTICS_DAYS: "30" });
    await cluster.command("sample", "--products", "200");
  });
  afterAll(() => cluster?.close());

  test("count together, and join an event to the search of the other node, once", {
    timeout: 300_000,
  }, async () => {
    const nodes = await Promise.all([cluster.startNode(), cluster.startNode()]);
    await Promise.all(nodes.map(untilReady));
    const { token } = JSON.parse(await cluster.command(...tokenArgs));
    const [one, other] = nodes.map((node) => clientOf(node, token));
    if (!one || !other) throw new Error("There are no two nodes.");
    const { Products, queryId = "" } = await one.searchCatalog({ q: "Lamp" });
    await other.searchCatalog({ q: "lamp" });
    const click = { type: "click" as const, productId: Products[0]?._id ?? "", queryId, position: 1 };
    const accepted: number[] = [];
    for (const node of [one, other, one])
      accepted.push((await node.sendEvents({ events: [click] })).accepted);
    expect(accepted).toEqual([1, 0, 0]);
    for (const node of [one, other])
      await expect
        .poll(async () => await node.searchInsights({}), counted)
        .toMatchObject({
          searches: [{ query: "lamp", searches: 2, clicks: 1, clickRate: 0.5, averagePosition: 1 }],
          totals: { searches: 2, noResults: 0, clicks: 1 },
        });
  });
});
