import { createHash } from "node:crypto";
import { keptText, normaliseQuery } from "@product-search/core/domain/insights/kept-query.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { CountedEvent } from "@product-search/core/ports/insight-store.ts";
import type { QueryIds } from "@product-search/core/ports/query-ids.ts";
import type { SearchCounter, SentEvent } from "@product-search/core/ports/search-counter.ts";

/** A search as it waits to be counted. */
export interface NotedSearch {
  client: string;
  /** Normalised: to see whether the client continues it. */
  text: string;
  /** What is kept of it, if anything. */
  query?: string;
  results: number;
  atMs: number;
}

/** What an HTTP thread passes on. */
export interface NotedBatch {
  searches: NotedSearch[];
  events: CountedEvent[];
}

export interface SearchCounterDeps {
  queryIds: QueryIds;
  clock: Clock;
  /** Gets everything since the last call. */
  send(batch: NotedBatch): void;
  sendEveryMs?: number;
}

const hourMs = 3600 * 1000;
/** What comes above it between two batches is not counted. */
const maxWaiting = 10_000;

/**
 * Notes searches and events in memory, and passes them on in batches: a search waits for nothing. Without any, no timer
 * runs.
 */
export function createSearchCounter({
  queryIds,
  clock,
  send,
  sendEveryMs = 250,
}: SearchCounterDeps): SearchCounter & { flush(): void } {
  let batch: NotedBatch = { searches: [], events: [] };
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (batch.searches.length + batch.events.length === 0) return;
    const full = batch;
    batch = { searches: [], events: [] };
    send(full);
  };
  const note = <Item>(list: Item[], item: Item) => {
    if (list.length < maxWaiting) list.push(item);
    timer ??= setTimeout(flush, sendEveryMs).unref();
  };
  return {
    countSearch({ client, text, results, isFirstPage }) {
      const atMs = clock.now();
      const normalised = normaliseQuery(text);
      const kept = keptText(normalised);
      if (isFirstPage && kept.kind !== "none") {
        const query = kept.kind === "kept" ? { query: kept.query } : {};
        note(batch.searches, { client, text: normalised, ...query, results, atMs });
      }
      return queryIds.make({ atMs, text: kept });
    },
    countEvents(events, fromPublic) {
      const atMs = clock.now();
      const accepted = events.flatMap((event) => toCounted(event, { queryIds, atMs, fromPublic }) ?? []);
      for (const event of accepted) note(batch.events, event);
      return accepted.length;
    },
    flush,
  };
}

function toCounted(
  { type, productId, queryId, position }: SentEvent,
  { queryIds, atMs, fromPublic }: { queryIds: QueryIds; atMs: number; fromPublic: boolean },
): CountedEvent | undefined {
  if (queryId === undefined) return fromPublic ? undefined : { type, productId, atMs };
  if (fromPublic && type !== "click") return undefined;
  const named = queryIds.read(queryId);
  if (named === undefined) return undefined;
  const { text, atMs: searchedAtMs } = named.search;
  return {
    type,
    productId,
    atMs,
    // A hash has one length whatever the product is called.
    key: createHash("sha256").update(`${named.id} ${type} ${productId}`).digest("base64url").slice(0, 22),
    ...(text.kind !== "none" && {
      search: {
        hour: Math.floor(searchedAtMs / hourMs),
        ...(text.kind === "kept" && { query: text.query }),
      },
    }),
    ...(position !== undefined && { position }),
  };
}
