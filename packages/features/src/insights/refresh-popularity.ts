import { popularityDays, popularityOf } from "@product-search/core/domain/insights/popularity.ts";
import { pause } from "@product-search/core/mechanisms/abortable.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { InsightStore } from "@product-search/core/ports/insight-store.ts";

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
