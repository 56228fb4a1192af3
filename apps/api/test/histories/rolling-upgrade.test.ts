import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { migratePostgres, migrations } from "@product-search/stores/database/postgres/migrate.ts";
import { openMigratedPostgres } from "@product-search/stores/database/postgres/open.ts";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { startReceiver } from "@product-search/testing/receiver.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nativeLine } from "../../testing/import-fixture.ts";
import { makeDataDir, removeDataDir } from "../../testing/running-service.ts";
import { startTestCluster, type TestCluster, type TestNode } from "../../testing/servers/cluster.ts";

/** What a later release may do to tables that this one uses. */
const extended = [
  "products",
  "price_history",
  "webhooks",
  "deliveries",
  "tokens",
  "changes",
  "leases",
  "imports",
];
const laterRelease = {
  needs: 1,
  statements: `
    ${extended.map((table) => `alter table ${table} add column later text not null default 'x';`).join("\n")}
    create table later_things (id integer primary key);
    create index products_later on products (later);`,
};

const clients = 4;

describeOnPostgres("a rolling upgrade", () => {
  let cluster: TestCluster;
  let token: string;
  const folder = makeDataDir();
  beforeAll(async () => {
    cluster = await startTestCluster({ TOKEN_RATE_LIMIT: "0", WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" });
  });
  afterAll(async () => {
    await cluster?.close();
    removeDataDir(folder);
  });

  const startReadyNode = async () => {
    const node = await cluster.startNode();
    while (!(await fetch(`${node.url}/readyz`)).ok) await setTimeout(50);
    return node;
  };
  const importPrice = async (price: number) => {
    const file = join(folder, `feed-${price}.jsonl`);
    const lines = Array.from({ length: 20 }, (_, at) => nativeLine(`k${at}`, { price }));
    writeFileSync(file, lines.join(""));
    await cluster.command("import", file, "--source", "catalog");
  };

  test("of the tables under load: nodes of the former release serve every request, before and after a restart", {
    timeout: 300_000,
  }, async () => {
    const receiver = await startReceiver();
    await importPrice(10);
    const scopes = ["--account", "a", "--scopes", "search,webhooks", "--json"];
    token = JSON.parse(await cluster.command("token", "create", ...scopes)).token;
    const rotation: TestNode[] = [await startReadyNode()];

    let isOver = false;
    const statuses = new Map<string, number>();
    const inFlight = new Map<TestNode | undefined, number>();
    const count = (node: TestNode | undefined, change: number) =>
      inFlight.set(node, (inFlight.get(node) ?? 0) + change);
    const request = async (path: string, init: RequestInit = {}) => {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        connection: "close",
      };
      const [node] = rotation;
      count(node, 1);
      const outcome = await fetch(`${node?.url}/api/v1${path}`, { ...init, headers })
        .then(async (response) => ({ status: String(response.status), body: await response.text() }))
        .catch((error: Error) => ({ status: String(error.cause ?? error), body: "" }));
      count(node, -1);
      statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1);
      return outcome;
    };
    const client = async () => {
      while (!isOver) {
        await request("/search/catalog?q=lamp&count=5");
        const webhook = { webhookUrl: `${receiver.url}/gone`, webhookType: "stock.alert" };
        const { body } = await request("/webhooks", { method: "POST", body: JSON.stringify(webhook) });
        if (body !== "") await request(`/webhooks/${JSON.parse(body).data?.id}`, { method: "DELETE" });
      }
    };
    const unexpected = () => [...statuses.keys()].filter((status) => status !== "200" && status !== "201");
    const untilReceived = async (count: number) => {
      while (receiver.received.length < count && unexpected().length === 0) await setTimeout(50);
    };
    const load = Promise.all(Array.from({ length: clients }, client));
    const kept = { webhookUrl: `${receiver.url}/kept`, webhookType: "price.alert" };
    await request("/webhooks", { method: "POST", body: JSON.stringify(kept) });

    const { db, close } = await openMigratedPostgres({ url: cluster.databaseUrl });
    await migratePostgres(db, [...migrations, laterRelease]);
    await close();
    await importPrice(11);
    await untilReceived(20);

    const next = await startReadyNode();
    const [first] = rotation.splice(0, 1, next);
    // As a balancer does: a connection that is made while the node closes its port is reset.
    while ((inFlight.get(first) ?? 0) > 0) await setTimeout(20);
    first?.child.kill("SIGTERM");
    expect(await first?.exit).toBe(0);
    await importPrice(12);
    await untilReceived(40);
    isOver = true;
    await load;
    await receiver.close();
    expect(unexpected()).toEqual([]);
    expect(receiver.received.length).toBeGreaterThanOrEqual(40);
    expect(statuses.get("200")).toBeGreaterThan(20);
  });
});
