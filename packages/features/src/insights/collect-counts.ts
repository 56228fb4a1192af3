import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  CountedEvent,
  EventOutcome,
  InsightStore,
  QueryCount,
} from "@product-search/core/ports/insights.ts";
import type { NotedSearch } from "./count-searches.ts";

export interface CountCollectorDeps {
  insightStore: Pick<InsightStore, "addSearches" | "addEvents">;
  clock: Clock;
  /** Called once per interruption; what waits is stored when it ends, as far as there is room. */
  onError(error: unknown): void;
  storeEveryMs?: number;
  /** Events are stored soon, but at most once in this time. */
  storeEventsEveryMs?: number;
}

export interface CountCollector {
  receive(searches: readonly NotedSearch[]): void;
  /** Resolves when they are stored. */
  addEvents(events: readonly CountedEvent[]): Promise<EventOutcome[]>;
  /** Stores what waits, also searches that could still be continued. */
  storeAll(): Promise<void>;
  stop(): Promise<void>;
}

const hourMs = 3600 * 1000;
/** A text that its client continues within this time is not counted. */
const continuedWithinMs = 2000;
/** The batches of other threads may come so much later. */
const latenessMs = 500;
/** What seems to be from later was searched before the clock was set back. */
const maxAheadMs = 60_000;
const maxSearches = 20_000;
const maxCounts = 20_000;
const maxEvents = 20_000;
const soonMs = 50;
/** In one transaction: some milliseconds in SQLite. */
const countsATransaction = 100;
const eventsATransaction = 50;

/**
 * Counts the searches of all threads of a node, and stores the counts. What comes while too much waits counts in the
 * totals alone, or not at all.
 */
export function createCountCollector({
  insightStore,
  clock,
  onError,
  storeEveryMs = 1000,
  storeEventsEveryMs = 1000,
}: CountCollectorDeps): CountCollector {
  let searches: NotedSearch[] = [];
  const counts = new Map<string, QueryCount>();
  const events: WaitingEvent[] = [];
  let storingEvents: Promise<void> | undefined;
  let storedEventsAt = Number.NEGATIVE_INFINITY;
  const stopping = new AbortController();
  let hasFailed = false;
  let arrived = () => {};

  const untilSomethingWaits = async () => {
    if (searches.length + counts.size > 0 || stopping.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    arrived = resolve;
    await promise;
  };

  const settle = (untilMs: number) => {
    // The batches of several threads come in any order.
    const ordered = searches.toSorted((one, other) => one.atMs - other.atMs);
    const next = nextOfClient(ordered);
    const waits = ({ atMs }: NotedSearch) => atMs > untilMs && atMs <= untilMs + maxAheadMs;
    searches = ordered.filter(waits);
    for (const search of ordered)
      if (!waits(search) && !isContinued(search, next.get(search))) add(counts, toCount(search));
  };

  const storeCounts = async () => {
    while (counts.size > 0) {
      const batch = [...counts].slice(0, countsATransaction);
      for (const [key] of batch) counts.delete(key);
      try {
        await insightStore.addSearches(batch.map(([, count]) => count));
      } catch (error) {
        for (const [key, count] of batch) {
          const newer = counts.get(key);
          counts.delete(key);
          add(counts, count);
          // Last: its number of results is kept.
          if (newer !== undefined) add(counts, newer);
        }
        throw error;
      }
    }
  };
  /** Those of many requests in one transaction. */
  const storeEvents = async () => {
    const sinceLast = performance.now() - storedEventsAt;
    const waitMs = Math.max(Math.min(soonMs, storeEventsEveryMs), storeEventsEveryMs - sinceLast);
    await pause(waitMs, stopping.signal);
    while (events.length > 0) {
      const batch = events.splice(0, eventsATransaction);
      try {
        const outcomes = await insightStore.addEvents(batch.map(({ event }) => event));
        batch.forEach(({ resolve }, i) => {
          resolve(outcomes[i] ?? "unknown_product");
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    storedEventsAt = performance.now();
    storingEvents = undefined;
  };
  const store = async () => {
    try {
      await storeCounts();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onError(error);
      hasFailed = true;
    }
  };
  // One at a time: the same events are not stored twice.
  let last: Promise<void> = Promise.resolve();
  const storeNext = () => {
    last = last.then(store);
    return last;
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      await untilSomethingWaits();
      await pause(storeEveryMs, stopping.signal);
      settle(clock.now() - continuedWithinMs - latenessMs);
      await storeNext();
    }
  };
  const running = run();
  const storeAll = () => {
    settle(Number.POSITIVE_INFINITY);
    return storeNext();
  };
  return {
    receive(batch) {
      searches.push(...batch);
      if (searches.length > maxSearches) settle(Number.POSITIVE_INFINITY);
      arrived();
    },
    async addEvents(batch) {
      if (events.length + batch.length > maxEvents) return batch.map(() => "overload");
      const outcomes = batch.map((event) => {
        const { promise, resolve, reject } = Promise.withResolvers<EventOutcome>();
        events.push({ event, resolve, reject });
        return promise;
      });
      if (batch.length > 0) storingEvents ??= storeEvents();
      return Promise.all(outcomes);
    },
    storeAll,
    async stop() {
      stopping.abort();
      arrived();
      await running;
      await storingEvents;
      await storeAll();
    },
  };
}

interface WaitingEvent {
  event: CountedEvent;
  resolve(outcome: EventOutcome): void;
  reject(error: unknown): void;
}

/** The search that the same client made after each one. */
function nextOfClient(ordered: readonly NotedSearch[]): Map<NotedSearch, NotedSearch> {
  const next = new Map<NotedSearch, NotedSearch>();
  const newest = new Map<string, NotedSearch>();
  for (const search of ordered) {
    const former = newest.get(search.client);
    if (former !== undefined) next.set(former, search);
    newest.set(search.client, search);
  }
  return next;
}

/**
 * Whether the client has typed on: "bo", "boots". The same text again is another search. Only the next search counts: many
 * people may search through one backend, which is one client.
 */
function isContinued({ text, atMs }: NotedSearch, next: NotedSearch | undefined): boolean {
  return (
    next !== undefined &&
    next.atMs - atMs <= continuedWithinMs &&
    next.text.length > text.length &&
    next.text.startsWith(text)
  );
}

/** One search as it is stored. */
export function toCount({ query, results, isRelaxed, atMs }: NotedSearch): QueryCount {
  return {
    hour: Math.floor(atMs / hourMs),
    ...(query !== undefined && { query }),
    searches: 1,
    noResults: results === 0 ? 1 : 0,
    relaxed: isRelaxed ? 1 : 0,
    results,
  };
}

/** Texts above the limit are counted together. */
function add(counts: Map<string, QueryCount>, { query, ...count }: QueryCount): void {
  const ownKey = `${count.hour} ${query ?? ""}`;
  const hasRoom = counts.has(ownKey) || counts.size < maxCounts;
  const key = hasRoom ? ownKey : `${count.hour} `;
  const former = counts.get(key);
  counts.set(key, {
    hour: count.hour,
    ...(hasRoom && query !== undefined && { query }),
    searches: count.searches + (former?.searches ?? 0),
    noResults: count.noResults + (former?.noResults ?? 0),
    relaxed: count.relaxed + (former?.relaxed ?? 0),
    results: count.results,
  });
}
