import type { StoredProduct } from "../../../domain/product.ts";
import type { Constraints } from "../../../domain/query-understanding/constraints.ts";
import type { TextSort } from "../../../ports/text-search.ts";
import type { ProductQuestion } from "./conversation/resolve-question.ts";

/** One thing that is wanted. */
export interface Intent {
  /** What it must be or have, after constraints and grammar were taken out. */
  words: readonly string[];
  /** Of the words, those that are no part of its name: "pockets" of "bag with pockets". */
  features: readonly string[];
  /** What it is for, and where: asked for as long as anything has it. */
  purpose: readonly string[];
  /** Opinions and gifts: what is described so comes first. */
  wishes: readonly string[];
  /** What is well rated comes first. */
  asksForQuality: boolean;
  /** The noun that says what the thing is; a product without it is something else. */
  head?: string;
  /** Names of things of which it must be one. */
  kinds?: readonly string[];
  /** The catalog has no such thing; products mention it, or no word of it is known. */
  absent?: "mentioned" | "unknown";
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
  /** Empty exactly when the request looks for no product, or asks about one. */
  intents: readonly Intent[];
  topic?: ConversationTopic;
  /** What is asked about one product. */
  question?: ProductQuestion;
  /** The wants, or these products of the last answer, are to be compared. */
  compares?: true;
  referred?: readonly StoredProduct[];
  /** An amount in another currency was named; its number was taken for one of ours. */
  otherCurrency?: true;
  sorting: Sorting;
  /** The newest were asked for. The catalog knows when it first saw a product, not when that came out: it cannot tell. */
  asksForNewest?: true;
  /** Products that were shown already, by their row: others are wanted. */
  skipped?: readonly number[];
  /** A budget that the intents share: one of each must fit into it. */
  sharedBudgetMinor?: number;
}
