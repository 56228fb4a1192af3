import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { type Receiver, startReceiver } from "@product-search/testing/receiver.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster, type TestNode } from "../../testing/servers/cluster.ts";

const products = 600;
/** The limit of concurrent attempts for one webhook. */
const perWebhook = 32;
const responseMs = 40;

describeOnPostgres("deliveries of two nodes on one PostgreSQL", () => {
  let cluster: TestCluster;
  let receiver: Receiver;
  let nodes: [TestNode, TestNode];
  let token: string;
  let left: TestNode;
  let webhook: string;
  const underWay = { now: 0, most: 0 };
  /** Responses that the receiver keeps back, if it does so. */
  let keptBack: (() => void)[] | undefined;
  beforeAll(async () => {
    receiver = await startReceiver((response) => {
      underWay.now += 1;
      underWay.most = Math.max(underWay.most, underWay.now);
      const respond = () => {
        underWay.now -= 1;
        response.writeHead(204).end();
      };
      if (keptBack === undefined) setTimeout(respond, responseMs);
      else keptBack.push(respond);
    });
    cluster = await startTestCluster({ WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8", TOKEN_RATE_LIMIT: "0" });
    nodes = await Promise.all([cluster.startNode(), cluster.startNode()]);
    const args = ["token", "create", "--account", "acme", "--scopes", "webhooks", "--json"];
    token = JSON.parse(await cluster.command(...args)).token;
  });
  afterAll(async () => {
    await cluster?.close();
    await receiver?.close();
  });

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
    return Number(/^product_search_webhook_attempts_in_flight(?:\{[^}]*\})? (\d+)/m.exec(metrics)?.[1] ?? 0);
  };
  /** Kills a node during attempts, none of which gets a response before; returns the other one. */
  const killDelivering = async (): Promise<TestNode> => {
    const responses: (() => void)[] = [];
    keptBack = responses;
    const [one, other] = nodes;
    let killed: TestNode | undefined;
    while (killed === undefined) {
      // Attempts from before that are still under way get their responses meanwhile.
      await delay(2 * responseMs);
      if ((await attemptsUnderWay(one)) > 1) killed = one;
      else if ((await attemptsUnderWay(other)) > 1) killed = other;
    }
    killed.child.kill("SIGKILL");
    await once(killed.child, "exit");
    keptBack = undefined;
    for (const respond of responses) respond();
    return killed === one ? other : one;
  };

  const call = (node: TestNode, path: string, init: RequestInit = {}) =>
    fetch(`${node.url}/api/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
  const createWebhook = async (node: TestNode): Promise<string> => {
    const body = JSON.stringify({ webhookUrl: `${receiver.url}/hook`, webhookType: "price.alert" });
    const created = await call(node, "/webhooks", { method: "POST", body });
    expect(created.status).toBe(201);
    return JSON.parse(await created.text()).data.id;
  };
  const listStatuses = async (node: TestNode, webhook: string) => {
    const statuses: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await call(node, `/webhooks/${webhook}/deliveries?limit=100${cursor}`);
      const { data: deliveries, nextCursor } = JSON.parse(await page.text());
      for (const { status } of deliveries) statuses.push(status);
      if (!nextCursor) return statuses;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
  };
  const untilSucceeded = async (node: TestNode, webhook: string) => {
    while ((await listStatuses(node, webhook)).some((status) => status !== "succeeded")) await delay(500);
  };

  test("nothing is lost when a node is killed, and limits hold for both together", {
    timeout: 180_000,
  }, async () => {
    await importPrices(10);
    webhook = await createWebhook(nodes[0]);
    const importing = importPrices(11);
    await untilReceived(100);
    left = await killDelivering();
    await importing;
    // The others notice after ten missed heartbeats, 20 s.
    await untilReceived(products);
    await untilSucceeded(left, webhook);
    expect(await listStatuses(left, webhook)).toHaveLength(products);
    // What the killed node had under way was attempted once more, and nothing else.
    const repeated = receiver.received.length - products;
    expect(repeated).toBeGreaterThan(0);
    expect(repeated).toBeLessThanOrEqual(perWebhook);
    expect(underWay.most).toBeGreaterThan(perWebhook / 4);
    expect(underWay.most).toBeLessThanOrEqual(perWebhook);
  });

  test("nothing is lost or sent twice while PostgreSQL cannot be reached", { timeout: 120_000 }, async () => {
    const before = receiver.received.length;
    const importing = importPrices(12);
    await untilReceived(products + 100);
    cluster.proxy.cut();
    await importing;
    while (underWay.now > 0) await delay(20);
    const during = receiver.received.length;
    expect(during - before).toBeLessThan(products);
    await delay(500);
    expect(receiver.received).toHaveLength(during);
    cluster.proxy.restore();
    await untilReceived(2 * products);
    await untilSucceeded(left, webhook);
    expect(await listStatuses(left, webhook)).toHaveLength(2 * products);
    expect(receiver.received).toHaveLength(before + products);
  });
});
