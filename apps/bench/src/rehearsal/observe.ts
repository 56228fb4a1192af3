import { setTimeout as delay } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import type { Ask } from "./ask.ts";
import { fieldsOf, listOf } from "./json-fields.ts";
import type { Ledger } from "./ledger.ts";
import type { ServicePart } from "./parts/service-part.ts";
import type { ObservedProduct } from "./verify-products.ts";

/** What a node tells about the things that were written. */
export interface ObservedNode {
  node: ServicePart;
  products: Map<string, ObservedProduct>;
  /** The paths of the webhooks. */
  webhooks: string[];
}

export async function observeNode(ask: Ask, node: ServicePart, ledger: Ledger): Promise<ObservedNode> {
  const products = new Map<string, ObservedProduct>();
  for (const key of ledger.products.keys()) {
    const path = `/api/v1/products/${productId("catalog", key)}`;
    const found = await ask(node, path);
    if (found.status === 404) continue;
    const history = await ask(node, `${path}/price-history?limit=1000`);
    products.set(key, {
      price: Number(fieldsOf(fieldsOf(found.body).product).price),
      history: listOf(fieldsOf(history.body).priceHistory).map(({ price }) => Number(price)),
    });
  }
  const webhooks = await listWebhooks(ask, node);
  return { node, products, webhooks: webhooks.map(({ webhookUrl }) => new URL(String(webhookUrl)).pathname) };
}

async function listWebhooks(ask: Ask, node: ServicePart) {
  return listOf(fieldsOf((await ask(node, "/api/v1/webhooks")).body).data);
}

/** Until no delivery has attempts left. Returns how many still have when the time is over. */
export async function untilDelivered(ask: Ask, node: ServicePart, timeoutMs: number): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let pending = 0;
    for (const { id } of await listWebhooks(ask, node)) {
      pending += await countPending(ask, node, String(id));
    }
    if (pending === 0 || performance.now() > deadline) return pending;
    await delay(1000);
  }
}

async function countPending(ask: Ask, node: ServicePart, webhook: string): Promise<number> {
  let pending = 0;
  for (let cursor = ""; ; ) {
    const page = fieldsOf(
      (await ask(node, `/api/v1/webhooks/${webhook}/deliveries?limit=200${cursor}`)).body,
    );
    pending += listOf(page.data).filter(({ status }) => status === "pending").length;
    if (typeof page.nextCursor !== "string") return pending;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}
