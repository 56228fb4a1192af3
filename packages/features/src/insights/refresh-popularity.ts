import { pause } from "@product-search/core/mechanisms/abortable.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { InsightStore } from "@product-search/core/ports/insight-store.ts";
import type { ProductEvents } from "../../../core/src/ports/insight-store.ts";

/** Events of so many days count. */
export const popularityDays = 30;

/** A purchase says more than an addition to the cart, and that more than a click. */
const weights = { clicks: 1, carts: 3, purchases: 10 };
/** With fewer, a product is hardly more popular than one without events. */
const smoothing = 5;
const levelsPerDoubling = 16;
const most = 1000;

/**
 * A whole number from 0, without events, to 1000. It grows with the logarithm: a popular product changes its number, and so
 * has to be indexed again, only when its events change by some percent.
 */
export function popularityOf({
  clicks,
  carts,
  purchases,
}: Pick<ProductEvents, "clicks" | "carts" | "purchases">): number {
  const events = clicks * weights.clicks + carts * weights.carts + purchases * weights.purchases;
  return Math.min(most, Math.floor(levelsPerDoubling * Math.log2(1 + events / smoothing)));
}

export interface RefreshPopularityDeps {
  insightStore: Pick<InsightStore, "productEvents">;
  catalogStore: Pick<CatalogStore, "setPopularity">;
  clock: Clock;
}

const dayMs = 24 * 3600 * 1000;
/** Small enough for steps of a few milliseconds. */
const productsAStep = 100;
const pauseMs = 10;

/** Computes the popularity of all products with events anew, and stores what has changed. Returns the number of changes. */
export async function refreshPopularity(
  { insightStore, catalogStore, clock }: RefreshPopularityDeps,
  signal: AbortSignal,
): Promise<number> {
  const sinceDay = Math.floor(clock.now() / dayMs) - popularityDays + 1;
  let changes = 0;
  for (let after: string | undefined = ""; after !== undefined && !signal.aborted; ) {
    const { products, next } = await insightStore.productEvents(after, sinceDay, productsAStep);
    const changed = products
      .map((product) => ({ ...product, next: popularityOf(product) }))
      .filter(({ popularity, next: fresh }) => popularity !== fresh)
      .map(({ rowId, next: popularity }) => ({ rowId, popularity }));
    if (changed.length > 0) await catalogStore.setPopularity(changed);
    changes += changed.length;
    after = next;
    if (after !== undefined) await pause(pauseMs, signal);
  }
  return changes;
}
