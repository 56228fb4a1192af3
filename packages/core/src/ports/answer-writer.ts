import type { Availability } from "../domain/availability.ts";
import type { LanguageCode } from "../domain/languages/languages.ts";
import type { ProductAttributes } from "../domain/product.ts";

/** What deep search may relax, step by step, if nothing matches. */
export type Relaxable =
  | "availability"
  | "discount"
  | "rating"
  | "colour"
  | "store"
  | "category"
  | "brand"
  | "attribute"
  | "purpose"
  | "words";

/** The kind of answer: products, why there are none, or a request that does not search for products. */
export type AnswerOutcome =
  | "found"
  | "nothing"
  | "contradiction"
  /** The catalog has no such thing. */
  | "absent"
  /** The request asks about one product. */
  | "product"
  | "unknown product"
  /** "It" or "the second one", but no such product was shown. */
  | "unclear product"
  | "comparison"
  /** A question about all products that were found: how many, which brands. */
  | "shop"
  | "greeting"
  | "thanks"
  | "service"
  | "question";

/** Maximum number of sentences in an answer. */
export const maxSentences = 4;

/**
 * Why a condition of the request could not be met. `size`, `audience`, `purpose` and `word`: no product data has it.
 * `wish`: the
 * best product's data does not have it. `name`: other products have this name. `exclusion`: products that mention it were left out, but texts seldom say what a
 * product lacks. The others were relaxed.
 */
export type UnmetReason =
  | "size"
  | "audience"
  | "purpose"
  | "word"
  | "wish"
  | "exclusion"
  | "name"
  | "colour"
  | "brand"
  | "store";

/** A condition of the request that the answer must name, since it was not met. */
export interface Unmet {
  reason: UnmetReason;
  /** As the user wrote it. */
  wording: string;
}

/** One thing that the request asks for. */
export interface AnswerPart {
  total: number;
  /** Its products, best first. */
  references: readonly string[];
  /** Its category, in the catalog's words. */
  kind?: string;
  /** The thing as the user named it. */
  wording?: string;
  /** What the descriptions of its products mention, and those of the other parts do not. Only for comparisons. */
  features: readonly string[];
}

/** The facts about a product that a writer may use. Texts are the catalog's: data, never instructions. */
export interface AnswerProduct {
  /** `p1`, `p2`, …: a writer uses `{p1.name}` and never the name itself. */
  reference: string;
  name: string;
  brand?: string;
  storeName: string;
  priceMinor: number;
  rating?: number;
  reviewCount: number;
  availability: Availability;
  category?: string;
  /** The first 200 characters at most. */
  description: string;
  /** What customers choose by, such as `color` and `size`, as far as it may be used in a sentence; absent if there is nothing. */
  attributes?: ProductAttributes;
  /** Whole percent off the lowest price of the previous 30 days; absent if there is no such reduction. */
  discountPercent?: number;
  /** Whole percent below its average price; absent unless the difference is clear. */
  belowAveragePercent?: number;
  /** What its texts say about the request, word for word; absent if they do not say. */
  quote?: string;
  /** The quote has words of the request. */
  quoteIsReason: boolean;
  /** The language of its description, if that is known and not the language of the answer. */
  descriptionLanguage?: LanguageCode;
  /** Its name has the noun of the request. */
  isNamed: boolean;
  /** False if the name must not be used in a sentence (markup, a link, a control character). */
  speakable: boolean;
}

export interface AnswerBrief {
  /** The user's own words: data, never instructions. */
  request: string;
  /** The earlier requests, oldest first. */
  history: readonly string[];
  outcome: AnswerOutcome;
  /** The number of matches. */
  total: number;
  parts: readonly AnswerPart[];
  relaxed: readonly Relaxable[];
  unmet: readonly Unmet[];
  /**
   * The request is longer than is read, or asks for more than is searched for: the word from which on it was not read, and
   * things that were not searched for, as the user wrote them. Without either, something was left out that has no words.
   */
  leftOut?: { from?: string; things: readonly string[] } | undefined;
  /** The purpose for which products were found by a feature that serves it: "flight" by "noise cancelling". */
  served?: string;
  /** The word that shows this in the name of the best product, so that no description need be quoted: "fleece". */
  servedBy?: string;
  /** A word of the request that only the name of the best product speaks of, in another word: "wooden" by "oak". */
  nameSays?: { wording: string; by: string };
  /** A price limit of an earlier request still applies, and leaves few products. */
  keptPriceLimit: boolean;
  /** Something cheaper than before was requested, and there is nothing. */
  nothingCheaper?: boolean;
  /** The language of the request. */
  language: LanguageCode;
  /** A word of the request was corrected. */
  corrected: boolean;
  /** The request has a price bound, which is never relaxed. */
  hasPriceBound: boolean;
  sortedBy: "relevance" | "lowest price" | "highest price" | "rating" | "discount";
  /** If the catalog has no such thing: the categories of products that mention it, or else the rest of the request. */
  near: readonly string[];
  /** The word of the request that `near` is about, if it is not the absent thing: "kitchen". */
  nearFor?: string;
  /** The absent thing is a maker: "anything by Noctis". */
  isMaker: boolean;
  /** The request names a brand or store only: the categories of its products. */
  range?: { of: "brand" | "store"; kinds: readonly string[]; hasMore: boolean };
  /** A question about the shop. Names are lists, most frequent first: of brands by a product of each (`p1`), or in words. */
  shop?: {
    asks: "count" | "presence" | "brands" | "kinds" | "values" | "prices";
    /** "How many brands". */
    isCount: boolean;
    names: readonly string[];
    /** How many there are besides. */
    more: number;
  };
  /** No thing was named, and all products for the purpose are of this category. */
  onlyKind?: { kind: string; wording: string };
  /** What a question asks about, as the user wrote it. */
  topic?: string;
  /** The data field that answers the question about a product. Other questions are answered by a quote. */
  askedField?: "price" | "rating" | "brand" | "store" | "availability";
  /** The request has an amount in another currency; its number was used as `currency`. */
  otherCurrency: boolean;
  /** The request asks for new products, but the catalog does not know their release dates. */
  asksForNewest: boolean;
  /** The request asks for popular products, but the catalog does not know what sells. */
  asksForPopular: boolean;
  /** The best products of the parts cost less together than the price limit of the request. */
  togetherWithinLimit: boolean;
  /** References of one product per part that together are within the budget of the request. */
  together?: readonly string[];
  /** Best first. */
  products: readonly AnswerProduct[];
  currency: string;
}

/**
 * The names that a writer may use after a product's reference: `{p1.price}`. Besides these, `{total}` is the number of
 * matches, `{w1.total}` that of the first part, and `{currency}` the currency of the prices. Words of the request are
 * `{unmet.1}`, `{leftOut.1}`, `{leftOutFrom}`, `{served}`, `{servedBy}`, `{nameSays}`, `{nameSaysBy}`, `{asked}` and `{w1.said}`; a writer puts them in quotation marks.
 */
export const answerFields = [
  "name",
  "short",
  "brand",
  "store",
  "price",
  "rating",
  "discount",
  "below",
  "quote",
] as const;
export type AnswerField = (typeof answerFields)[number];

/** A request rephrased in plain words of a catalog. The bounds of the original request still apply. */
export interface AnswerPlan {
  isProductSearch: boolean;
  /** One English search per intent. */
  searches: readonly string[];
}

/** The user's request and earlier ones: data, never instructions. */
export interface PlanRequest {
  request: string;
  history: readonly string[];
}

/** A refused sentence, and why it was refused. */
export interface Refusal {
  sentence: string;
  fault: string;
}

/**
 * Writes the answer of deep search in sentences with references. The service inserts names and numbers and checks every
 * sentence, so a writer need not be trusted. Every method fails with an error if it cannot deliver.
 */
export interface AnswerWriter {
  /** Undefined if it has nothing to add to the rules. */
  plan(request: PlanRequest, signal: AbortSignal): Promise<AnswerPlan | undefined>;
  /** Complete sentences, one by one. */
  write(brief: AnswerBrief, signal: AbortSignal): AsyncIterable<string>;
  /** A replacement for the refused sentence. */
  repair(brief: AnswerBrief, refusal: Refusal, signal: AbortSignal): Promise<string>;
}

/**
 * A condition that an answer must name because it was not met or cannot be known: one of `unmet`, by its reference, or one
 * that has no words of the request to repeat. `leftOut`: what was not read. `currency`: prices are in another one.
 */
export type UnmetCondition =
  | `unmet.${number}`
  | "rating"
  | "discount"
  | "availability"
  | "category"
  | "other"
  | "newest"
  | "popular"
  | "leftOut"
  | "currency";

/** A writer without a model. It also completes the answer of a model that does not name every condition. */
export interface BuiltInAnswerWriter extends AnswerWriter {
  /** One sentence with all of the conditions, and one for the currency. */
  nameConditions(brief: AnswerBrief, conditions: readonly UnmetCondition[]): readonly string[];
}

/** The writer accepts no more work now: its limits are reached, or it pauses after failures. */
export class AnswerWriterBusyError extends Error {
  override readonly name = "AnswerWriterBusyError";
}
