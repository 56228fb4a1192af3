import { pause } from "@product-search/core/mechanisms/retry.ts";
import { type Clock, steadyClock } from "@product-search/core/ports/clock.ts";
import type { EventOutcome, SearchCounter } from "@product-search/core/ports/insights.ts";
import type { Leading } from "@product-search/core/ports/leases.ts";
import {
  type CountCollector,
  createCountCollector,
} from "@product-search/features/insights/collect-counts.ts";
import {
  createSearchCounter,
  type SearchCounterDeps,
} from "@product-search/features/insights/count-searches.ts";
import { createPopularQueries, refreshPopularity } from "@product-search/features/insights/popularity.ts";
import { createQueryIds } from "@product-search/stores/secret-box/query-ids.ts";
import { createPersonalHash } from "@product-search/stores/secret-box/secret-keys.ts";
import type { Config } from "../config.ts";
import type { Stores } from "./stores/stores.ts";

export type { NotedSearch } from "@product-search/features/insights/count-searches.ts";

/** For an HTTP thread; undefined when nothing is counted. */
export function composeSearchCounter(
  config: Config,
  { clock }: Pick<Stores, "clock">,
  collector: Pick<SearchCounterDeps, "send" | "addEvents">,
): (SearchCounter & { flush(): void }) | undefined {
  if (config.analyticsDays === 0) return undefined;
  const queryIds = createQueryIds({ ...config, clock });
  return createSearchCounter({ ...collector, queryIds, clock, hashPersonal: createPersonalHash(config) });
}

/** For an HTTP thread; undefined when nothing is counted. */
export function composePopularQueries(
  { analyticsDays }: Config,
  { insightStore, clock }: Pick<Stores, "insightStore" | "clock">,
  onError: (error: unknown) => void,
): ReturnType<typeof createPopularQueries> | undefined {
  return analyticsDays === 0 ? undefined : createPopularQueries({ insightStore, clock, onError });
}

const reportEveryMs = 60_000;

/** Logs the events that did not count: at most one line a minute. Repetitions are usual. */
export function composeEventReport(
  report: (dropped: Readonly<Record<string, number>>) => void,
  clock: Clock = steadyClock,
): (outcome: EventOutcome) => void {
  const dropped = new Map<string, number>();
  let nextAtMs = 0;
  return (outcome) => {
    if (outcome === "counted" || outcome === "repeated") return;
    dropped.set(outcome, (dropped.get(outcome) ?? 0) + 1);
    if (clock.now() < nextAtMs) return;
    nextAtMs = clock.now() + reportEveryMs;
    report(Object.fromEntries(dropped));
    dropped.clear();
  };
}

/** For the thread that counts for all others. */
export function composeCountCollector(
  { insightStore, clock }: Pick<Stores, "insightStore" | "clock">,
  onError: (error: unknown) => void,
  storeEventsEveryMs?: number,
): CountCollector {
  return createCountCollector({
    insightStore,
    clock,
    onError,
    ...(storeEventsEveryMs !== undefined && { storeEventsEveryMs }),
  });
}

const refreshEveryMs = 30_000;
/** Refreshing takes at most this share of the time of its thread. */
const restFactor = 20;

/** Keeps the popularity of products up to date, on one node at a time. */
export function composePopularity(
  stores: Pick<Stores, "leases" | "insightStore" | "catalogStore" | "clock">,
  onError: (error: unknown) => void,
): Leading {
  return stores.leases.lead("popularity", async ({ signal }) => {
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        await refreshPopularity(stores, signal);
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      await pause(Math.max(refreshEveryMs, restFactor * (performance.now() - startedAt)), signal);
    }
  });
}
