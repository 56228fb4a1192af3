/** What happened with one text within an hour. Added to what is stored already. */
export interface QueryCount {
  /** Hours since 1970. */
  hour: number;
  /** Absent for a text that is not kept: it counts in the totals alone. */
  query?: string;
  searches: number;
  noResults: number;
  /** Of which words were ignored. */
  relaxed: number;
  /** How many products the newest of the searches found. */
  results: number;
}

const eventTypes = ["click", "cart", "purchase"] as const;
type EventType = (typeof eventTypes)[number];

/** The same for every repetition of an event. */
interface EventKey {
  key: string;
  untilMs: number;
}

const eventOutcomes = [
  "counted",
  "repeated",
  "unknown_product",
  "unknown_search",
  "not_in_search",
  "daily_limit",
  "overload",
] as const;
export type EventOutcome = (typeof eventOutcomes)[number];

export interface CountedEvent {
  type: EventType;
  productId: string;
  atMs: number;
  /** Whether anybody could have sent it: such events have a budget of their own. */
  isPublic?: boolean;
  /** An event counts only if none of its keys is known; absent for events that are always counted. */
  keys?: readonly EventKey[];
  /** Where its search is counted; absent for events without one, and for searches without a text. */
  search?: Pick<QueryCount, "hour" | "query">;
  position?: number;
  /** Of a purchase: the products of one order are counted as pairs while its key is known. */
  order?: EventKey;
}

export interface HourRange {
  /** Both are inclusive. */
  fromHour: number;
  toHour: number;
}

/** The most frequent, those whose newest search found nothing, those whose words were ignored, or those with results and no clicks. */
export const insightKinds = ["top", "noResults", "relaxed", "noClicks"] as const;
export type InsightKind = (typeof insightKinds)[number];

export interface QueryInsight {
  query: string;
  searches: number;
  noResults: number;
  relaxed: number;
  /** Of the newest search. */
  results: number;
  clicks: number;
  /** How many clicks had a position, and the sum of those positions. */
  positioned: number;
  positions: number;
}

/** A product that was clicked in the results of a text. */
export interface ClickedProduct {
  id: string;
  name: string;
  slug: string;
  clicks: number;
}

export interface DayTotals {
  /** Days since 1970, in UTC. */
  day: number;
  searches: number;
  noResults: number;
  clicks: number;
}

/** What customers did with a product. */
export interface ProductEvents {
  rowId: number;
  /** As it is stored. */
  popularity: number;
  clicks: number;
  carts: number;
  purchases: number;
}

/** Of a text in a day. Clicks on further products count in the number of clicks alone. */
export const keptClicked = 50;
export const shownClicked = 3;
/** Of further products of an order, no pairs are counted. */
export const maxOrderProducts = 50;
/** Of a product. Rare and old pairs give way to others. */
export const keptPairs = 100;

/** How many queries and events of a day are kept; what is above counts in the totals alone. */
export interface InsightLimits {
  queriesADay: number;
  eventsADay: number;
  /** Of events that anybody could have sent. */
  publicEventsADay: number;
}

export const insightLimits: InsightLimits = {
  queriesADay: 100_000,
  eventsADay: 1_000_000,
  publicEventsADay: 1_000_000,
};

/**
 * Counts of searches by hour and text, and of events by product and day, stored with the catalog. All nodes add to the
 * same rows. Nothing about a person is stored.
 */
export interface InsightStore {
  /** One transaction: pass at most a few hundred. */
  addSearches(counts: readonly QueryCount[]): Promise<void>;
  /** The same. Returns what became of each event. */
  addEvents(events: readonly CountedEvent[]): Promise<EventOutcome[]>;
  /** By day, those with searches or clicks only. */
  totals(range: HourRange): Promise<DayTotals[]>;
  /** The first texts of this kind; equal ones in alphabetical order. It works in steps of a few milliseconds. */
  rank(kind: InsightKind, range: HourRange, limit: number, signal: AbortSignal): Promise<QueryInsight[]>;
  /** By text: the products that were clicked after it, most clicks first, at most `shownClicked` that the catalog still has. */
  clickedProducts(
    queries: readonly string[],
    range: HourRange,
  ): Promise<ReadonlyMap<string, ClickedProduct[]>>;
  /**
   * A page of the products that have events since that day, or a popularity, in the order of their identifiers. `next`: the
   * argument for the page after it.
   */
  productEvents(
    after: string,
    sinceDay: number,
    limit: number,
  ): Promise<{ products: ProductEvents[]; next: string | undefined }>;
  /** The products that were most often bought in orders with this one, best first. */
  boughtTogether(productId: string, limit: number): Promise<string[]>;
  /** Removes at most about `limit` counts older than this, and keys that have expired; returns whether there are more. */
  removeBefore(atMs: number, limit: number): Promise<boolean>;
}

interface FinishedSearch {
  /** Who typed it, for texts that are continued. Kept in memory for some seconds only. */
  client: string;
  text: string;
  results: number;
  /** Whether words were ignored. */
  isRelaxed: boolean;
  isFirstPage: boolean;
  /** What was searched for, as far as a queryId has room for it. */
  request: string;
  /** The products in the response, for a queryId without room for the request. */
  shown: readonly string[];
}

/** Who sent events that anybody could have sent. */
export interface PublicSender {
  /** Kept as a keyed hash alone, for a day. */
  address: string;
  /** Whether the search of this request finds, pins or shows the product as related. */
  isInSearch(request: string, productId: string): Promise<boolean>;
}

export interface SentEvent {
  type: EventType;
  productId: string;
  queryId?: string;
  position?: number;
  /** Of a purchase. Kept as a keyed hash alone, for a day. */
  orderId?: string;
}

/** Counts searches and events. A search waits for nothing. */
export interface SearchCounter {
  /** The queryId for the response. */
  countSearch(search: FinishedSearch): string;
  /** What became of each event. Of events that anybody could have sent, clicks on what a search shows count alone. */
  countEvents(account: string, events: readonly SentEvent[], sender?: PublicSender): Promise<EventOutcome[]>;
}

/** How often the most frequent texts of the last days were searched for. */
export interface PopularQueries {
  /** 0 for a text that is not among them. */
  searchesOf(query: string): number;
}

/** The search to which a queryId belongs. */
export interface NamedSearch {
  atMs: number;
  /** `counted`: has a text that is not kept; `none`: has no text, and so is not counted. */
  text: { kind: "kept"; query: string } | { kind: "counted" } | { kind: "none" };
  /** What was searched for, or a list of what was shown; cut to nothing if there is no room. */
  request?: string;
}

/** Makes and reads the identifiers of searches. They carry what any node needs to join an event to its search. */
export interface QueryIds {
  make(search: NamedSearch): string;
  /** Undefined if it was not made with this deployment's key, or is too old. `id` is the same for all spellings of it. */
  read(queryId: string): { id: string; search: NamedSearch } | undefined;
}

export const queryIdLifetimeMs = 24 * 3600 * 1000;
/** In UTF-8. */
export const maxKeptBytes = 110;
/** In UTF-8. With it and a kept text, an identifier has less than 1,000 characters. */
export const maxRequestBytes = 600;
