import { abortable } from "@product-search/core/mechanisms/retry.ts";
import { createCallsInFlight } from "@product-search/core/mechanisms/share-in-flight.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  Freshness,
  Marketplace,
  MarketplacePage,
  MarketplaceQuery,
  MarketplaceSource,
  ObserveMarketplace,
} from "@product-search/core/ports/marketplace-source.ts";
import { LRUCache } from "lru-cache";
import { type Deadline, UpstreamError } from "./send-safely.ts";

export interface ResponseCacheSettings {
  marketplace: Marketplace;
  clock: Clock;
  freshSeconds: number;
  staleSeconds: number;
  /** Time limit of one search, including all its retries. */
  deadlineMs: number;
  fetch(query: MarketplaceQuery, deadline: Deadline): Promise<MarketplacePage>;
  observe: ObserveMarketplace;
}

interface Kept {
  page: MarketplacePage;
  atMs: number;
}

const maxBytes = 32_000_000;
const maxCachedPages = 20_000;

/**
 * Fresh responses come from memory, and concurrent identical searches share one request. If the marketplace fails, its
 * last response is served, marked as stale.
 */
export function createResponseCache(settings: ResponseCacheSettings): MarketplaceSource {
  const { marketplace, clock, freshSeconds, staleSeconds, deadlineMs, fetch, observe } = settings;
  const kept = new LRUCache<string, Kept>({
    max: maxCachedPages,
    maxSize: maxBytes,
    sizeCalculation: ({ page }) => JSON.stringify(page).length * 2,
  });
  const calls = createCallsInFlight<string, MarketplacePage>();

  function label({ page, atMs }: Kept, from: Freshness["from"]): MarketplacePage {
    const ageSeconds = (clock.now() - atMs) / 1000;
    return { ...page, freshness: { from, ageSeconds, freshForSeconds: freshSeconds - ageSeconds } };
  }

  async function ask(key: string, query: MarketplaceQuery): Promise<MarketplacePage> {
    const latestMs = clock.now() + deadlineMs;
    const page = await within(deadlineMs, (signal) => fetch(query, { latestMs, signal }));
    if (staleSeconds + freshSeconds > 0) kept.set(key, { page, atMs: clock.now() });
    return page;
  }

  async function find(key: string, query: MarketplaceQuery, signal: AbortSignal): Promise<MarketplacePage> {
    const known = kept.get(key);
    if (known && clock.now() - known.atMs < freshSeconds * 1000) return label(known, "cache");
    const from = calls.isRunning(key) ? "shared" : "miss";
    try {
      // This caller may stop waiting. The request continues for other callers and for the cache.
      const page = await abortable(
        calls.share(key, () => ask(key, query)),
        signal,
      );
      return label({ page, atMs: clock.now() }, from);
    } catch (error) {
      signal.throwIfAborted();
      const fault = toUpstreamError(error);
      const isServable = known && clock.now() - known.atMs < (freshSeconds + staleSeconds) * 1000;
      observe({
        kind: "failure",
        fault: fault.kind,
        message: fault.message,
        cause: fault.cause,
        isStaleServed: Boolean(isServable),
      });
      if (known && isServable) return label(known, "stale");
      throw fault.toApiError(marketplace);
    }
  }

  return {
    async search(query, signal) {
      const text = query.text.trim().replace(/\s+/gu, " ");
      const page = await find(`${query.offset} ${query.limit} ${text}`, { ...query, text }, signal);
      if (page.freshness) observe({ kind: "answer", from: page.freshness.from });
      return page;
    },
  };
}

/** Fails when the time is over, even if the work does not react to its signal. Work that goes on after the end is aborted. */
async function within<Result>(ms: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), ms);
  try {
    return await abortable(work(ending.signal), ending.signal);
  } catch (cause) {
    if (!ending.signal.aborted || cause instanceof UpstreamError) throw cause;
    throw new UpstreamError("timeout", "did not respond within 3 seconds. Try again later.", { cause });
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  return new UpstreamError("unreadable", "returned a response that this service cannot read.", {
    cause: error,
  });
}
