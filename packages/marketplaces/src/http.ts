import type { MarketplaceListing } from "@product-search/core/domain/product.ts";
import { type Circuit, createCircuitBreaker } from "@product-search/core/mechanisms/circuit-breaker.ts";
import { createFairSlots } from "@product-search/core/mechanisms/fair-slots.ts";
import { backoffMs, type RetrySettings, retry, withJitter } from "@product-search/core/mechanisms/retry.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  Marketplace,
  MarketplacePage,
  MarketplaceQuery,
  MarketplaceSource,
  ObserveMarketplace,
} from "@product-search/core/ports/marketplace-source.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { DayQuota, SecondQuota } from "@product-search/core/ports/quotas.ts";
import { LRUCache } from "lru-cache";
import { createItemMapper, type MappedItem } from "./http/profile/map-item.ts";
import type { CursorPagination, OffsetPagination, PagePagination, Profile } from "./http/profile/profile.ts";
import {
  createPageReader,
  type MergedPages,
  mergePages,
  overlapOf,
  type Page,
  planWindows,
  reachOf,
  type Window,
} from "./http/read-page.ts";
import { createRequestGate } from "./http/request-gate.ts";
import { createResponseCache } from "./http/response-cache.ts";
import { type Deadline, UpstreamError } from "./http/send-safely.ts";
import { createUpstream } from "./http/upstream.ts";

const searchesRemembered = 1000;

const cursorLifeMs = 300_000;

/** Maximum number of pages that one search reads, one after the other. */
const maxSteps = 10;

/** Maximum number of concurrent requests to one marketplace, and of requests that wait. */
const maxConcurrent = 20;

const maxWaiting = 100;

const retries: RetrySettings = {
  maxAttempts: 3,
  isWorthRetrying: (error) => error instanceof UpstreamError && error.isTransient,
  pauseMs: (failures) => withJitter(backoffMs(failures, 100, 800)),
};

const firstOpenMs = 1500;
const maxOpenMs = 30_000;

/**
 * The circuit opens if more than half of the last twenty requests failed, or of those so far if there were at least
 * five. Then one request probes after a period, which doubles with each failed probe. Half of the period is fixed: with less of it, a retry of a
 * failing search would become the probe.
 */
const breaking = {
  judgedCalls: 20,
  isFailing: (failures: number, calls: number) => calls >= 5 && failures > calls / 2,
  openMs: (failedProbes: number) => withJitter(backoffMs(failedProbes, firstOpenMs, maxOpenMs)),
  maxProbes: 1,
};

export interface HttpSourceSettings {
  marketplace: Marketplace;
  profile: Profile;
  /** The value of an environment variable that the profile names. */
  secret(name: string): string;
  outboundHttp: Pick<OutboundHttp, "send">;
  dayQuota: DayQuota;
  secondQuota?: SecondQuota | undefined;
  clock: Clock;
  /** Time limit of one search, including all its retries. */
  deadlineMs?: number | undefined;
  observe?: ObserveMarketplace;
}

const defaultFreshSeconds = 60;
const defaultStaleSeconds = 86_400;
/** A response takes three seconds at most; a tenth of a second is left for sending it to the client. */
const defaultDeadlineMs = 2900;

/** Searches a live marketplace through its own API, as described by a profile. */
export function createHttpSource(settings: HttpSourceSettings): MarketplaceSource {
  const { marketplace, profile, clock, observe = () => {} } = settings;
  return createResponseCache({
    marketplace,
    clock,
    observe,
    deadlineMs: settings.deadlineMs ?? defaultDeadlineMs,
    freshSeconds: profile.cache?.freshSeconds ?? defaultFreshSeconds,
    staleSeconds: profile.cache?.staleSeconds ?? defaultStaleSeconds,
    fetch: createLiveSearch({ ...settings, observe }),
  });
}

type LiveSearch = (query: MarketplaceQuery, deadline: Deadline) => Promise<MarketplacePage>;

function createLiveSearch(settings: HttpSourceSettings & { observe: ObserveMarketplace }): LiveSearch {
  const { marketplace, profile, clock, dayQuota, secondQuota, observe } = settings;
  const policy = createCallPolicy(clock, (state) => observe({ kind: "circuit", state }));
  const gate = createRequestGate({ clock, dayQuota, secondQuota, ...profile.quota });
  const ask = createUpstream({ ...settings, gate });
  const readPage = createPageReader(profile, createItemMapper(profile, marketplace));
  const cursors = createKnownCursors();

  async function request(text: string, parameters: Record<string, string>, deadline: Deadline) {
    const startedMs = clock.now();
    const done = (outcome: "answered" | UpstreamError["kind"]) =>
      observe({ kind: "request", outcome, seconds: (clock.now() - startedMs) / 1000 });
    try {
      const page = readPage(await ask(text, parameters, deadline));
      done("answered");
      return page;
    } catch (error) {
      done(error instanceof UpstreamError ? error.kind : "unreadable");
      throw error;
    }
  }

  return async ({ text, offset, limit }, { latestMs, signal }) => {
    const { pagination } = profile;
    const fetchPage: FetchPage = (parameters) =>
      policy.run((attempt) => request(text, parameters, { latestMs, signal: attempt }), signal);
    const gather = (from: number, size: number): Promise<Gathered> =>
      pagination.style === "cursor"
        ? walkCursors(fetchPage, pagination, cursors, { text, offset: from, limit: size })
        : gatherWindows(fetchPage, pagination, from, size);
    if (offset >= reachOf(pagination)) {
      // No page can be requested there. One request for the first product tells the total.
      const { total } = await gather(0, 1);
      return { items: [], total: total ?? 0, hasMore: false };
    }
    return toPage(await gather(offset, limit), offset, limit, reachOf(pagination));
  };
}

function toPage(
  { items, total, goesOn }: Gathered,
  offset: number,
  limit: number,
  reach: number,
): MarketplacePage {
  const seen = offset + items.length;
  const count = Math.max(total ?? (goesOn ? seen + 1 : seen), items.length === 0 ? 0 : seen);
  return {
    items: listings(items),
    total: count,
    hasMore: goesOn && offset + limit < Math.min(count, reach),
  };
}

/** Sponsored products are in a list twice: the first one is kept. */
function listings(items: readonly MappedItem[]): MarketplaceListing[] {
  const seen = new Set<string>();
  return items.flatMap(({ code, listing }) => {
    if (!listing || code === undefined || seen.has(code)) return [];
    seen.add(code);
    return [listing];
  });
}

interface CallPolicy {
  /** Runs one request under all rules. Fails only with `UpstreamError`. */
  run<Response>(request: (signal: AbortSignal) => Promise<Response>, signal: AbortSignal): Promise<Response>;
}

/**
 * The queue, then retries with jitter, then the circuit breaker: each retry passes the breaker. While a probe runs, other
 * requests do not wait for it: a stale response now is better than a fresh one that may not come.
 */
function createCallPolicy(clock: Clock, onCircuit: (state: Circuit) => void): CallPolicy {
  const inSlot = createFairSlots({ slots: maxConcurrent, maxWaiting, refusal: tooManyWaiting });
  const breaker = createCircuitBreaker({ clock, ...breaking, onChange: onCircuit });

  return {
    async run(request, signal) {
      const attempt = async () => {
        signal.throwIfAborted();
        const report = breaker.enter();
        if (report === undefined) throw circuitOpen();
        const isProbe = breaker.state === "half-open";
        try {
          const response = await request(signal);
          report("succeeded");
          return response;
        } catch (error) {
          // Only a success closes the circuit, also if the probe ended because of this service.
          report(isProbe || (error instanceof UpstreamError && error.isUnhealthy) ? "failed" : "abandoned");
          throw error;
        }
      };
      try {
        return await inSlot(() => retry(attempt, retries, signal), signal);
      } catch (error) {
        throw toUpstreamError(error, signal);
      }
    },
  };
}

function circuitOpen(): UpstreamError {
  return new UpstreamError("open", "keeps failing and is not called for a while. Try again later.", {
    retryAfterSeconds: Math.ceil(firstOpenMs / 1000),
  });
}

function tooManyWaiting(): UpstreamError {
  return new UpstreamError("busy", "has too many waiting searches. Try again shortly.", {
    retryAfterSeconds: 1,
  });
}

function toUpstreamError(error: unknown, signal: AbortSignal): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (signal.aborted) {
    return new UpstreamError("timeout", "did not respond in time. Try again later.", { cause: error });
  }
  return new UpstreamError("unreadable", "returned a response that this service cannot read.", {
    cause: error,
  });
}

/** Cursors by search. The cursor at `n` leads to page `n`; the first page has none. */
type KnownCursors = LRUCache<string, string[]>;

function createKnownCursors(): KnownCursors {
  return new LRUCache({ max: searchesRemembered, ttl: cursorLifeMs });
}

/** Reads pages from the nearest one with a known cursor up to `offset + limit`. */
async function walkCursors(
  fetchPage: FetchPage,
  pagination: CursorPagination,
  knownCursors: KnownCursors,
  { text, offset, limit }: { text: string; offset: number; limit: number },
): Promise<Gathered> {
  const { maxLimit, limitParameter, cursorParameter } = pagination;
  const cursors = knownCursors.get(text) ?? [];
  const first = Math.floor(offset / maxLimit);
  const last = Math.floor((offset + limit - 1) / maxLimit);
  let at = Math.min(first, cursors.length);
  if (last - at >= maxSteps) {
    throw new UpstreamError(
      "refused",
      "can only be paged through in order. Ask for the pages before this one first.",
    );
  }
  const gathered: Gathered = { items: [], total: undefined, goesOn: false };
  for (; at <= last; at++) {
    const cursor = at === 0 ? undefined : cursors[at - 1];
    const parameters = { [limitParameter]: String(maxLimit), ...(cursor && { [cursorParameter]: cursor }) };
    const page = await fetchPage(parameters).catch((error: unknown) => {
      // The marketplace may have dropped the cursor: the next search starts from the first page.
      knownCursors.delete(text);
      throw error;
    });
    gathered.total = page.total ?? gathered.total;
    gathered.goesOn = page.next !== undefined;
    if (at >= first) gathered.items.push(...page.items);
    if (page.next === undefined) break;
    cursors[at] = page.next;
    knownCursors.set(text, cursors);
  }
  const skip = offset - first * maxLimit;
  const isCut = gathered.items.length > skip + limit;
  return { ...gathered, items: gathered.items.slice(skip, skip + limit), goesOn: gathered.goesOn || isCut };
}

interface Gathered {
  /** The part of the list that begins at the wanted offset. */
  items: MergedPages["items"];
  total: number | undefined;
  /** Whether the list continues after these items. */
  goesOn: boolean;
}

/** Requests one page with the given pagination parameters. */
type FetchPage = (parameters: Record<string, string>) => Promise<Page>;

/** Fetches all pages of `[offset, offset + limit)` concurrently and joins them. */
async function gatherWindows(
  fetchPage: FetchPage,
  pagination: PagePagination | OffsetPagination,
  offset: number,
  limit: number,
): Promise<Gathered> {
  const windows = planWindows(pagination, offset, limit);
  let joined = await fetchAll(fetchPage, windows, overlapOf(pagination));
  // The list changed while it was read: read it again, then use the items without gaps.
  if (joined.isTorn) joined = await fetchAll(fetchPage, windows, overlapOf(pagination));
  const start = windows[0]?.start ?? 0;
  return {
    items: joined.items.slice(offset - start, offset - start + limit),
    total: joined.total,
    goesOn: joined.isTorn || joined.items.length > offset - start + limit || joined.endsFull,
  };
}

async function fetchAll(fetchPage: FetchPage, windows: readonly Window[], overlap: number) {
  const settled = await Promise.allSettled(windows.map(({ parameters }) => fetchPage(parameters)));
  const total = settled.flatMap((result) =>
    result.status === "fulfilled" ? (result.value.total ?? []) : [],
  )[0];
  const parts = windows.map(({ start, size }, at) => {
    const result = settled[at];
    if (result?.status === "fulfilled") return { start, size, items: result.value.items.slice(0, size) };
    // Some marketplaces refuse pages after the last one instead of returning empty ones.
    if (total !== undefined && start >= total) return { start, size, items: [] };
    throw result?.reason;
  });
  const last = parts.at(-1);
  return {
    ...mergePages(parts, overlap),
    total,
    endsFull: last !== undefined && last.items.length >= last.size,
  };
}
