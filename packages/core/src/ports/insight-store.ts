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

export const eventTypes = ["click", "cart", "purchase"] as const;
export type EventType = (typeof eventTypes)[number];

/** The same for every repetition of an event. */
export interface EventKey {
  key: string;
  untilMs: number;
}

export const eventOutcomes = [
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

/** How many queries and events of a day are kept; what is above counts in the totals alone. */
/** Of further products of an order, no pairs are counted. */
export const maxOrderProducts = 50;
/** Of a product. Rare and old pairs give way to others. */
export const keptPairs = 100;

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
