import { createClient } from "@product-search/client";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  serveReady,
} from "../../testing/running-service.ts";
import { startTestCluster, type TestCluster } from "../../testing/servers/cluster.ts";

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
