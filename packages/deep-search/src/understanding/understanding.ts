import type { ForeignCode } from "@product-search/core/domain/languages/languages.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { Constraints } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import type { NamedKind } from "@product-search/core/ports/kind-finder.ts";
import type { NamedSort, NumberColumn } from "@product-search/core/ports/text-search.ts";
import type { ProductQuestion } from "./conversation/resolve-question.ts";
import type { ShopQuestion } from "./shop-question.ts";

/** One thing that a request asks for. */
export interface Intent {
  /** Its words, without constraints and function words. */
  words: readonly string[];
  /** The words that name it, as far as the request names a thing. */
  requestWords: readonly string[];
  /** Those of the words that are not part of its name: "pockets" in "bag with pockets". */
  features: readonly string[];
  /** What it is for, and where it is used. Required as long as any product matches it. */
  purpose: readonly string[];
  /** The word of the purpose that says how the thing keeps something: "hot". Features that serve it come before the word. */
  keeps?: string;
  /** Opinions and gifts: products described like this come first. */
  wishes: readonly string[];
  /** Well-rated products come first. */
  asksForQuality: boolean;
  /** The noun that names the thing. A product without it is something else. */
  head?: string;
  /** A product must be of one of these kinds. */
  kinds?: readonly NamedKind[];
  /** The catalog has no such thing: products only mention it, or no word of it is known. */
  absent?: "mentioned" | "unknown";
  /** Measures among its words, each in the words of the request: "8 year old". */
  measures?: readonly (readonly string[])[];
  constraints: Constraints;
}

/** It asks for nothing yet: all products meet it. */
export const emptyIntent: Intent = {
  words: [],
  requestWords: [],
  features: [],
  purpose: [],
  wishes: [],
  asksForQuality: false,
  constraints: {},
};

export interface Sorting {
  /** Those that words ask for. */
  sort: Exclude<NamedSort, "popularity" | NumberColumn>;
  order: "asc" | "desc";
}

/** The topic of a request that does not search for a product. */
export const conversationTopics = ["greeting", "thanks", "service", "question"] as const;
export type ConversationTopic = (typeof conversationTopics)[number];

export interface Understanding {
  /** Empty exactly if the request does not search for products, or asks about one. */
  intents: readonly Intent[];
  topic?: ConversationTopic;
  /** The question about one product. */
  question?: ProductQuestion;
  /** What a question asks about all products of the only intent. */
  shop?: ShopQuestion;
  /** The intents are proposals for a need: one product of each is named. */
  isNeed?: true;
  /** The intents, or these products of the last answer, are to be compared. */
  compares?: true;
  referred?: readonly StoredProduct[];
  /** The request has an amount in another currency. Its number is used in the service's currency. */
  otherCurrency?: true;
  /** The price bounds are those of an earlier request. */
  keepsPriceLimit?: true;
  sorting: Sorting;
  /** Undefined for English. */
  language?: ForeignCode | undefined;
  /** Words of the request were taken for misspelt. */
  isCorrected?: true;
  /** Something cheaper than what was shown is requested. If there is nothing, the cheapest within the limit of before. */
  asksForCheaper?: { limitMinor?: number };
  /** The words of the request by their English translation, or by their corrected spelling. */
  typed?: ReadonlyMap<string, string>;
  /** Popular products were requested. The catalog does not know what sells, so the best rated come first. */
  asksForPopular?: true;
  /** The newest products were requested. The catalog knows when it first imported a product, not when it was released. */
  asksForNewest?: true;
  /** Sizes and the people whom a product is for, which a model left out when it rephrased the request. */
  leftOut?: readonly string[];
  /** The row ids of products that were already shown: others are requested. */
  skipped?: readonly number[];
  /** A budget for all intents: one product of each must fit into it. */
  sharedBudgetMinor?: number;
}
