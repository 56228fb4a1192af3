import type { Constraints } from "../../../domain/query-understanding/constraints.ts";
import type { TextSort } from "../../../ports/text-search.ts";

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
