import { setTimeout as delay } from "node:timers/promises";
import { productId } from "@product-search/api/domain/identity.ts";
import type { Ledger } from "../ledger.ts";
import type { ServicePart } from "../parts/service-part.ts";
import type { ClusterClient } from "./cluster-client.ts";
import { keyOf, wordOf } from "./products.ts";
import { productsOf } from "./replies.ts";

/** Polls more often would measure the load that it causes itself. */
const pollMs = 300;
/** A change that is not found after this time counts with it. */
const longestMs = 30_000;

/**
 * Waits until each node finds the new price of the product. A sample for each node that is ready: from the time of the
 * change in PostgreSQL, or since the node became ready again, until it is found.
 */
export async function measureVisibility(
  client: ClusterClient,
  ledger: Ledger,
  number: number,
  importing: Promise<boolean>,
): Promise<Visibility[]> {
  const key = keyOf(number);
  const price = ledger.products.get(key)?.at(-1)?.price ?? 0;
  let isOver = false;
  const wait = Promise.all(client.nodes.map((node) => waitOn(client, node, { number, price }, () => isOver)));
  const isAcknowledged = await importing;
  const acknowledgedMs = Date.now();
  if (isAcknowledged) await Promise.race([wait, delay(longestMs)]);
  isOver = true;
  const found = await wait;
  if (!isAcknowledged) return [];
  return found.flatMap((one, at) => {
    const node = client.nodes[at];
    const name = node?.name ?? "";
    if (one) return [{ node: name, fromMs: Math.max(one.pricedMs, one.notReadyMs), foundMs: one.foundMs }];
    const isReady = node && client.isReady(node) && client.lastNotReadyMs(node) < acknowledgedMs;
    return isReady ? [{ node: name, fromMs: acknowledgedMs, foundMs: acknowledgedMs + longestMs }] : [];
  });
}

/** Times of `Date.now()`. */
export interface Visibility {
  node: string;
  fromMs: number;
  foundMs: number;
}

interface Found {
  foundMs: number;
  pricedMs: number;
  notReadyMs: number;
}

async function waitOn(
  client: ClusterClient,
  node: ServicePart,
  { number, price }: { number: number; price: number },
  isOver: () => boolean,
): Promise<Found | undefined> {
  const id = productId("catalog", keyOf(number));
  while (!isOver()) {
    const path = `/api/v1/search/catalog?q=${wordOf(number)}&literal=true&count=5`;
    const found = productsOf(await client.requestFrom(node, path)).find((product) => product.id === id);
    if (found && found.price === price) {
      return { foundMs: Date.now(), pricedMs: found.pricedMs, notReadyMs: client.lastNotReadyMs(node) };
    }
    await delay(pollMs);
  }
  return undefined;
}
