import type { Meaning } from "../../../domain/query-understanding/phrase-table.ts";
import type { Sorting } from "./understanding.ts";

/** What a phrase of a request says. */
export interface RequestMeaning extends Meaning {
  sorting?: Sorting;
  /** The price bound holds for all wants together. */
  shared?: true;
  /** What is new is wanted: understood, though no product says when it came out. */
  newest?: true;
}

/** A request in which every understood phrase is replaced by a mark, "⟦3⟧", that keeps its place. */
export interface MarkedRequest {
  text: string;
  meanings: readonly RequestMeaning[];
}

/** The numbers of the marks in a piece of a marked request. */
export function marksIn(text: string): number[] {
  return [...text.matchAll(/⟦(\d+)⟧/g)].map(([, index]) => Number(index));
}

export function withoutMarks(text: string): string {
  return text.replace(/⟦\d+⟧/g, " | ");
}
