import type { Availability } from "../../../domain/availability.ts";
import type { TextSort } from "../../../ports/text-search.ts";

/** What a product must satisfy, as the request said it. */
export interface Constraints {
  /** Both bounds are included; never relaxed. */
  minPriceMinor?: number;
  maxPriceMinor?: number;
  minRating?: number;
  minDiscount?: number;
  availability?: readonly Availability[];
  brands?: readonly string[];
  stores?: readonly string[];
  categories?: readonly string[];
  /** Of each group one colour must be named; a group holds spellings and alternatives. */
  colours?: readonly (readonly string[])[];
  /** Words that no product may have; never relaxed. */
  without?: readonly string[];
}

/** One thing that is wanted. */
export interface Want {
  /** The words to search, after constraints and grammar were taken out. */
  words: readonly string[];
  /** The noun that says what the thing is; a product without it is something else. */
  head?: string;
  constraints: Constraints;
}

export interface Sorting {
  sort: TextSort;
  order: "asc" | "desc";
}

/** What a request that looks for no product is about. */
export const conversationTopics = ["greeting", "thanks", "service", "question"] as const;
export type ConversationTopic = (typeof conversationTopics)[number];

export interface Understanding {
  /** Empty exactly when the request looks for no product. */
  wants: readonly Want[];
  topic?: ConversationTopic;
  sorting: Sorting;
  /** The newest were asked for. The catalog knows when it first saw a product, not when that came out: it cannot tell. */
  asksForNewest?: true;
  /** A budget that the wants share: one of each must fit into it. */
  sharedBudgetMinor?: number;
}

/** True when no price can lie within the bounds. */
export function isContradictory({ minPriceMinor, maxPriceMinor }: Constraints): boolean {
  return minPriceMinor !== undefined && maxPriceMinor !== undefined && minPriceMinor > maxPriceMinor;
}
