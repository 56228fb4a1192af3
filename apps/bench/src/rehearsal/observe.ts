import { setTimeout as delay } from "node:timers/promises";
import { productId } from "@product-search/api/domain/identity.ts";
import type { Ledger } from "./ledger.ts";
import type { ClusterClient, Reply } from "./load/cluster-client.ts";
import { fieldsOf, listOf } from "./load/replies.ts";
import type { ServicePart } from "./parts/service-part.ts";
import type { ObservedProduct } from "./verify-products.ts";

/** What a node tells about the things that were written. */
export interface ObservedNode {
  node: ServicePart;
  products: Map<string, ObservedProduct>;
  /** The paths of the webhooks. */
  webhooks: string[];
}

const attempts = 20;

/** Repeats a request that fails: when all is quiet, it must succeed. */
async function ask(client: ClusterClient, node: ServicePart, path: string): Promise<Reply> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const reply = await client.requestFrom(node, path);
    if (reply && (reply.status === 200 || reply.status === 404)) return reply;
    await delay(500);
  }
  throw new Error(`${node.name} does not respond to ${path} although nothing disturbs it.`);
}

export async function observeNode(
  client: ClusterClient,
  node: ServicePart,
  ledger: Ledger,
): Promise<ObservedNode> {
  const products = new Map<string, ObservedProduct>();
  for (const key of ledger.products.keys()) {
    const path = `/api/v1/products/${productId("catalog", key)}`;
    const found = await ask(client, node, path);
    if (found.status === 404) continue;
    const history = await ask(client, node, `${path}/price-history?limit=1000`);
    products.set(key, {
      price: Number(fieldsOf(fieldsOf(found.body).product).price),
      history: listOf(fieldsOf(history.body).priceHistory).map(({ price }) => Number(price)),
    });
  }
  const webhooks = await listWebhooks(client, node);
  return { node, products, webhooks: webhooks.map(({ webhookUrl }) => new URL(String(webhookUrl)).pathname) };
}

async function listWebhooks(client: ClusterClient, node: ServicePart) {
  return listOf(fieldsOf((await ask(client, node, "/api/v1/webhooks")).body).data);
}

/** Until no delivery has attempts left. Returns how many still have when the time is over. */
export async function untilDelivered(
  client: ClusterClient,
  node: ServicePart,
  timeoutMs: number,
): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let pending = 0;
    for (const { id } of await listWebhooks(client, node)) {
      pending += await countPending(client, node, String(id));
    }
    if (pending === 0 || performance.now() > deadline) return pending;
    await delay(1000);
  }
}

async function countPending(client: ClusterClient, node: ServicePart, webhook: string): Promise<number> {
  let pending = 0;
  for (let cursor = ""; ; ) {
    const page = fieldsOf(
      (await ask(client, node, `/api/v1/webhooks/${webhook}/deliveries?limit=200${cursor}`)).body,
    );
    pending += listOf(page.data).filter(({ status }) => status === "pending").length;
    if (typeof page.nextCursor !== "string") return pending;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}
