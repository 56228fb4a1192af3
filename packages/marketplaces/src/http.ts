import type { MarketplaceListing } from "@product-search/core/domain/product.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DayQuota } from "@product-search/core/ports/day-quota.ts";
import type {
  Marketplace,
  MarketplacePage,
  MarketplaceQuery,
  MarketplaceSource,
  ObserveMarketplace,
} from "@product-search/core/ports/marketplace-source.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { SecondQuota } from "@product-search/core/ports/second-quota.ts";
import { createCallPolicy } from "./http/call-policy.ts";
import { createKnownCursors, walkCursors } from "./http/cursor-walk.ts";
import { type FetchPage, type Gathered, gatherWindows } from "./http/gather-windows.ts";
import { reachOf } from "./http/page-plan.ts";
import { createItemMapper, type MappedItem } from "./http/profile/map-item.ts";
import type { Profile } from "./http/profile/profile.ts";
import { createPageReader } from "./http/read-page.ts";
import { createRequestGate } from "./http/request-gate.ts";
import { createResponseCache } from "./http/response-cache.ts";
import type { Deadline } from "./http/send-safely.ts";
import { createUpstream } from "./http/upstream.ts";
import { UpstreamError } from "./http/upstream-error.ts";

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
  const policy = createCallPolicy((state) => observe({ kind: "circuit", state }));
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
