import type { Meaning } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import type { Sorting } from "./understanding.ts";

/** The meaning of one phrase of a request. */
export interface RequestMeaning extends Meaning {
  sorting?: Sorting;
  /** The price bound applies to all intents together. */
  shared?: true;
  /** New products are wanted. This is recognised, although no product has its release date. */
  newest?: true;
  /** Popular products are wanted: recognised, although no product has its number of sales. */
  popular?: true;
}

/** A request in which every recognised phrase is replaced by a mark, "⟦3⟧", at its position. */
export interface MarkedRequest {
  text: string;
  meanings: readonly RequestMeaning[];
}

/** The numbers of the marks in a part of a marked request. */
export function marksIn(text: string): number[] {
  return [...text.matchAll(/⟦(\d+)⟧/g)].map(([, index]) => Number(index));
}

export function withoutMarks(text: string): string {
  return text.replace(/⟦\d+⟧/g, " | ");
}
