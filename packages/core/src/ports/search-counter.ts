import type { EventOutcome, EventType } from "./insight-store.ts";

export interface FinishedSearch {
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
