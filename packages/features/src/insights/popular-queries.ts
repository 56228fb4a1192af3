import { fold } from "@product-search/core/domain/fold.ts";
import { normaliseQuery } from "@product-search/core/domain/insights/kept-query.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { InsightStore } from "@product-search/core/ports/insight-store.ts";
import type { PopularQueries } from "@product-search/core/ports/popular-queries.ts";

export interface PopularQueriesDeps {
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
  let retryMs = firstRetryMs;

  async function read(): Promise<void> {
    const startedAtMs = clock.now();
    const toHour = Math.floor(startedAtMs / hourMs);
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
      if (clock.now() >= nextAtMs && !stopping.signal.aborted) void read();
      return counts.get(fold(normaliseQuery(query))) ?? 0;
    },
    stop: () => stopping.abort(),
  };
}
