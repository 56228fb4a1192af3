import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster, type TestNode } from "../../testing/cluster.ts";
import { describeOnPostgres } from "../../testing/postgres.ts";
import { type Receiver, startReceiver } from "../../testing/receiver.ts";

const products = 600;
/** As the worker limits attempts of one webhook. */
const perWebhook = 32;
const responseMs = 40;

describeOnPostgres("deliveries of two nodes on one PostgreSQL", () => {
  let cluster: TestCluster;
  let receiver: Receiver;
  let nodes: [TestNode, TestNode];
  const underWay = { now: 0, most: 0 };
  beforeAll(async () => {
    receiver = await startReceiver((response) => {
      underWay.now += 1;
      underWay.most = Math.max(underWay.most, underWay.now);
      setTimeout(() => {
        underWay.now -= 1;
        response.writeHead(204).end();
      }, responseMs);
    });
    cluster = await startTestCluster({ WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8", TOKEN_RATE_LIMIT: "0" });
    nodes = await Promise.all([cluster.startNode(), cluster.startNode()]);
  });
  afterAll(async () => {
    await cluster?.close();
    await receiver?.close();
  });

  const createToken = async (): Promise<string> => {
    const args = ["token", "create", "--account", "acme", "--scopes", "webhooks", "--json"];
    return JSON.parse(await cluster.command(...args)).token;
  };
  const importPrices = async (price: number) => {
    const file = join(nodes[1].dataDir, "feed.jsonl");
    const row = { storeName: "Shop", description: "", url: "https://shop.example/1", images: [], price };
    const rows = Array.from({ length: products }, (_, key) =>
      JSON.stringify({ _id: `p${key}`, name: `Lamp ${key}`, ...row, availability: "in_stock" }),
    );
    writeFileSync(file, `${rows.join("\n")}\n`);
    await cluster.command("import", file, "--source", "catalog");
  };
  const untilReceived = async (count: number) => {
    while (eventIds().size < count) await delay(20);
  };
  const eventIds = () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));

  const attemptsUnderWay = async ({ url }: TestNode): Promise<number> => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return Number(/^webhook_attempts_in_flight(?:\{[^}]*\})? (\d+)/m.exec(metrics)?.[1] ?? 0);
  };
  /** Kills a node in the middle of attempts; gives the other. */
  const killDelivering = async (): Promise<TestNode> => {
    for (;;) {
      for (const [index, node] of nodes.entries()) {
        if ((await attemptsUnderWay(node)) < 2) continue;
        node.child.kill("SIGKILL");
        return nodes[1 - index] ?? nodes[0];
      }
    }
  };

  test("nothing is lost when a node is killed, and limits hold for both together", {
    timeout: 180_000,
  }, async () => {
    const headers = { authorization: `Bearer ${await createToken()}`, "content-type": "application/json" };
    const call = (node: TestNode, path: string, init: RequestInit = {}) =>
      fetch(`${node.url}/api/v1${path}`, { ...init, headers });
    await importPrices(10);
    const body = JSON.stringify({ webhookUrl: `${receiver.url}/hook`, webhookType: "price.alert" });
    const created = await call(nodes[0], "/webhooks", { method: "POST", body });
    const { data } = JSON.parse(await created.text());
    expect(created.status).toBe(201);

    const importing = importPrices(11);
    await untilReceived(100);
    const left = await killDelivering();
    await importing;
    await untilReceived(products);

    const listStatuses = async () => {
      const statuses: string[] = [];
      for (let cursor = ""; ; ) {
        const page = await call(left, `/webhooks/${data.id}/deliveries?limit=100${cursor}`);
        const { data: deliveries, nextCursor } = JSON.parse(await page.text());
        for (const { status } of deliveries) statuses.push(status);
        if (!nextCursor) return statuses;
        cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
      }
    };
    // The others notice after ten missed heartbeats, 20 s.
    while ((await listStatuses()).some((status) => status !== "succeeded")) await delay(500);
    expect(await listStatuses()).toHaveLength(products);
    expect(eventIds().size).toBe(products);
    // What the killed node had under way was attempted once more, and nothing else.
    const repeated = receiver.received.length - products;
    expect(repeated).toBeGreaterThan(0);
    expect(repeated).toBeLessThanOrEqual(perWebhook);
    expect(underWay.most).toBeGreaterThan(perWebhook / 2);
    expect(underWay.most).toBeLessThanOrEqual(perWebhook);
  });
});
