import { normaliseQuery } from "@product-search/core/domain/insights/kept-query.ts";
import { fold } from "@product-search/core/domain/name-list.ts";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { InsightStore, PopularQueries } from "@product-search/core/ports/insights.ts";
import type { ProductEvents } from "../../../core/src/ports/insights.ts";

interface PopularQueriesDeps {
  insightStore: Pick<InsightStore, "rank">;
  clock: Clock;
  onError(error: unknown): void;
}

const maxTexts = 1000;
const hours = 7 * 24;
const hourMs = 3600 * 1000;
const refreshEveryMs = 10 * 60 * 1000;
/** After a failure, doubled each time. */
const firstRetryMs = 1000;
/** Reading takes at most this share of the time of its thread. */
const restFactor = 100;

/** Reads when somebody asks, in the background: until then the former counts are returned, and none at first. */
export function createPopularQueries({
  insightStore,
  clock,
  onError,
}: PopularQueriesDeps): PopularQueries & { stop(): void } {
  const stopping = new AbortController();
  /** With and without accents, a text is the same. */
  let counts: ReadonlyMap<string, number> = new Map();
  let nextAtMs = 0;
  let readAtMs = 0;
  let retryMs = firstRetryMs;

  async function read(): Promise<void> {
    const startedAtMs = clock.now();
    const toHour = Math.floor(startedAtMs / hourMs);
    readAtMs = startedAtMs;
    nextAtMs = Number.POSITIVE_INFINITY;
    try {
      const range = { fromHour: toHour - hours, toHour };
      const texts = await insightStore.rank("top", range, maxTexts, stopping.signal);
      const sums = new Map<string, number>();
      for (const { query, searches } of texts) sums.set(fold(query), (sums.get(fold(query)) ?? 0) + searches);
      counts = sums;
      retryMs = firstRetryMs;
    } catch (error) {
      if (!stopping.signal.aborted) onError(error);
      nextAtMs = clock.now() + retryMs;
      retryMs = Math.min(2 * retryMs, refreshEveryMs);
      return;
    }
    const endedAtMs = clock.now();
    nextAtMs = endedAtMs + Math.max(refreshEveryMs, restFactor * (endedAtMs - startedAtMs));
  }

  return {
    searchesOf(query) {
      const now = clock.now();
      // The clock may have been set back.
      if ((now >= nextAtMs || now < readAtMs) && !stopping.signal.aborted) void read();
      return counts.get(fold(normaliseQuery(query))) ?? 0;
    },
    stop: () => stopping.abort(),
  };
}

/** Events of so many days count. */
const popularityDays = 30;

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

interface RefreshPopularityDeps {
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
