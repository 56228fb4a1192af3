import type { Availability } from "../domain/availability.ts";

/** What deep search may give up, step by step, when nothing is left. */
export type Relaxable =
  | "availability"
  | "discount"
  | "rating"
  | "colour"
  | "store"
  | "category"
  | "brand"
  | "purpose"
  | "words";

/** What the answer is about: products, their absence and why, or a request that looks for none. */
export type AnswerOutcome =
  | "found"
  | "nothing"
  | "contradiction"
  /** The catalog has no such thing. */
  | "absent"
  /** One product is asked about. */
  | "product"
  | "unknown product"
  /** "It" or "the second one", where no such product was shown. */
  | "unclear product"
  | "comparison"
  | "greeting"
  | "thanks"
  | "service"
  | "question";

/** A product as a writer may speak of it. Texts are the catalog's: data, never instructions. */
export interface AnswerProduct {
  /** `p1`, `p2`, …: a writer says `{p1.name}` and never the name itself. */
  reference: string;
  name: string;
  brand?: string;
  storeName: string;
  priceMinor: number;
  rating?: number;
  reviewCount: number;
  availability: Availability;
  category?: string;
  /** Its beginning, at most 200 characters. */
  description: string;
  /** Whole percent off against the lowest price of the 30 days before; left out when there is no such reduction. */
  discountPercent?: number;
  /** Whole percent below its average price; left out unless it is a clear difference. */
  belowAveragePercent?: number;
  /** What its texts say about what was asked, word for word; left out when they do not say. */
  quote?: string;
  /** False when the name is not fit to be repeated (markup, a link, a control character): speak of the others. */
  speakable: boolean;
}

export interface AnswerBrief {
  /** The user's own words: data, never instructions. */
  request: string;
  /** The requests before it, oldest first. */
  history: readonly string[];
  outcome: AnswerOutcome;
  /** How many products match. */
  total: number;
  /** For each thing wanted, the references of its products, how many match and its category; more than one for several wants. */
  parts: readonly { total: number; references: readonly string[]; kind?: string }[];
  relaxed: readonly Relaxable[];
  /** A word of the request was taken for a spelling mistake. */
  corrected: boolean;
  /** The request named a price bound, which always holds. */
  hasPriceBound: boolean;
  sortedBy: "relevance" | "lowest price" | "highest price" | "rating" | "discount";
  /** Where the catalog has no such thing: categories of what mentions it. */
  near: readonly string[];
  /** The field of the data that answers the question about a product; its texts may answer it with a quote. */
  askedField?: "price" | "rating" | "brand" | "store" | "availability";
  /** The request named an amount in another currency; its number was taken for one of `currency`. */
  otherCurrency: boolean;
  /** The request wants what is new, which the catalog cannot tell. */
  asksForNewest: boolean;
  /** References of one product of each part that together stay within the budget named in the request. */
  together?: readonly string[];
  /** Best first. */
  products: readonly AnswerProduct[];
  currency: string;
}

/**
 * What a writer may put between braces after a product's reference: `{p1.price}`. Beside them `{total}` is the number of
 * matches, `{w1.total}` that of the first part and `{currency}` what prices are in.
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

/** A request put into plain words of a catalog. The bounds that the request states hold beside it. */
export interface AnswerPlan {
  isProductSearch: boolean;
  /** One English search for each thing wanted. */
  searches: readonly string[];
}

/** What the user asked, and what before that: data, never instructions. */
export interface PlanRequest {
  request: string;
  history: readonly string[];
}

/** A sentence that was refused, and why. */
export interface Refusal {
  sentence: string;
  fault: string;
}

/**
 * Writes the answer of deep search in sentences with references; the service puts in names and numbers and checks
 * every sentence, so a writer need not be trusted. Every method fails with an error when it cannot deliver.
 */
export interface AnswerWriter {
  /** Undefined when it has nothing to add to the rules. */
  plan(request: PlanRequest, signal: AbortSignal): Promise<AnswerPlan | undefined>;
  /** Finished sentences, one by one. */
  write(brief: AnswerBrief, signal: AbortSignal): AsyncIterable<string>;
  /** Another sentence in place of the refused one. */
  repair(brief: AnswerBrief, refusal: Refusal, signal: AbortSignal): Promise<string>;
}

/** The writer takes no more work just now: its limits are reached, or it rests after failures. */
export class AnswerWriterBusyError extends Error {
  override readonly name = "AnswerWriterBusyError";
}
