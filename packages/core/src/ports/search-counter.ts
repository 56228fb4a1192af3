import type { EventType } from "./insight-store.ts";

export interface FinishedSearch {
  /** Who typed it, for texts that are continued. Kept in memory for some seconds only. */
  client: string;
  text: string;
  results: number;
  isFirstPage: boolean;
}

export interface SentEvent {
  type: EventType;
  productId: string;
  queryId?: string;
  position?: number;
}

/** Counts searches and events. It never waits for the store. */
export interface SearchCounter {
  /** The queryId for the response. */
  countSearch(search: FinishedSearch): string;
  /** Returns how many were accepted. Of events that anybody could send, clicks on results alone are. */
  countEvents(events: readonly SentEvent[], fromPublic: boolean): number;
}
