import type { SearchCounter } from "@product-search/core/ports/search-counter.ts";
import {
  type CountCollector,
  createCountCollector,
} from "@product-search/features/insights/collect-counts.ts";
import { createSearchCounter, type NotedBatch } from "@product-search/features/insights/count-searches.ts";
import { createQueryIds } from "@product-search/stores/secret-box/query-ids.ts";
import type { Config } from "../config.ts";
import type { Stores } from "./stores/stores.ts";

export type { NotedBatch } from "@product-search/features/insights/count-searches.ts";

/** For an HTTP thread; undefined when nothing is counted. */
export function composeSearchCounter(
  config: Config,
  { clock }: Pick<Stores, "clock">,
  send: (batch: NotedBatch) => void,
): (SearchCounter & { flush(): void }) | undefined {
  if (config.analyticsDays === 0) return undefined;
  return createSearchCounter({ queryIds: createQueryIds({ ...config, clock }), clock, send });
}

/** For the thread that counts for all others. */
export function composeCountCollector(
  { insightStore, clock }: Pick<Stores, "insightStore" | "clock">,
  onError: (error: unknown) => void,
): CountCollector {
  return createCountCollector({ insightStore, clock, onError });
}
