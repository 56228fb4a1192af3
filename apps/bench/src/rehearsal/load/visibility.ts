import { setTimeout as delay } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import { visibleGoalMs } from "../figures.ts";
import type { Ledger } from "../ledger.ts";
import type { ServicePart } from "../parts/service-part.ts";
import type { ClusterClient } from "./cluster-client.ts";
import { keyOf, wordOf } from "./products.ts";
import { waitWhileReady } from "./ready-spans.ts";
import { productsOf } from "./replies.ts";

/** Polls more often would measure the load that it causes itself. */
const pollMs = 300;
/** A change that is not found after this time counts with it. */
const maxWaitMs = 30_000;

type VisibilityClient = Pick<ClusterClient, "nodes" | "requestFrom" | "readySpans">;

/**
 * Waits until each node finds the new price of the product. A sample for each node that is ready: from the time of the
 * change in PostgreSQL, or since the node became ready again, until it is found.
 */
export async function measureVisibility(
  client: VisibilityClient,
  ledger: Ledger,
  number: number,
  importing: Promise<boolean>,
): Promise<Visibility[]> {
  const key = keyOf(number);
  const price = ledger.products.get(key)?.at(-1)?.price ?? 0;
  let isOver = false;
  const waits = client.nodes.map((node) => waitOn(client, node, { number, price }, () => isOver));
  const isAcknowledged = await importing;
  const acknowledgedMs = Date.now();
  if (isAcknowledged) await Promise.race([Promise.all(waits), delay(maxWaitMs)]);
  isOver = true;
  const overMs = Date.now();
  const found = await Promise.all(waits);
  if (!isAcknowledged) return [];
  return client.nodes.flatMap((node, at) => {
    const one = found[at];
    if (one !== undefined) return one.sample ?? [];
    const wait = waitWhileReady(client.readySpans(node), acknowledgedMs, overMs, visibleGoalMs);
    // It may still be found at any time: only what is late already is known.
    return wait && wait.toMs - wait.fromMs > visibleGoalMs ? { node: node.name, ...wait } : [];
  });
}

/** Times of `Date.now()`: how long a change was not found on a node that was ready. */
export interface Visibility {
  node: string;
  fromMs: number;
  toMs: number;
}

/** Undefined if the node did not find it. Without a sample if it was not ready then. */
async function waitOn(
  client: VisibilityClient,
  node: ServicePart,
  { number, price }: { number: number; price: number },
  isOver: () => boolean,
): Promise<{ sample: Visibility | undefined } | undefined> {
  const id = productId("catalog", keyOf(number));
  while (!isOver()) {
    const path = `/api/v1/search/catalog?q=${wordOf(number)}&literal=true&count=5`;
    const found = productsOf(await client.requestFrom(node, path)).find((product) => product.id === id);
    if (found && found.price === price) {
      const foundMs = Math.max(found.pricedMs, Date.now());
      const wait = waitWhileReady(client.readySpans(node), found.pricedMs, foundMs, visibleGoalMs);
      return { sample: wait && { node: node.name, ...wait } };
    }
    await delay(pollMs);
  }
  return undefined;
}
