import type { Language } from "../language/language.ts";

/**
 * One way in which a document can match a word of the query: a term, several terms, or any word with a prefix. `weight` is
 * at most 1.
 */
export type Alternative =
  | { readonly term: string; readonly weight: number }
  | { readonly terms: readonly string[]; readonly weight: number }
  | { readonly prefix: string; readonly weight: number };

/** A word of the query, and what a document may have instead of it. */
export interface PlannedWord {
  /** As typed, folded. */
  readonly word: string;
  readonly as: "matched" | "optional" | "corrected" | "completed" | "split" | "unknown";
  /** The words of the catalog that it was read as. */
  readonly used: readonly string[];
  readonly alternatives: readonly Alternative[];
  /** The cost of dropping the word; 0 for words that are never required. */
  readonly cost: number;
}

/** A word of the query before its role is known. */
export interface ReadWord extends Omit<PlannedWord, "cost"> {
  /** Whether it is the unit of the amount before it. */
  readonly isUnit: boolean;
}

/** A way to require fewer than all words. */
export interface Relaxation {
  /** The minimum total cost of the words that a document must have. The thing is not counted if it is required anyway. */
  readonly least: number;
  readonly needsThing: boolean;
  /** Used only if nothing was found. The others are used if too little was found. */
  readonly isLastResort: boolean;
}

/** What a query asks for, in terms: everything that a search engine must know about its words. */
export interface QueryPlan {
  /** The language in which the query was read. */
  readonly language: Language;
  readonly words: readonly PlannedWord[];
  /** The index of the word that names the thing ("lamp" in "desk lamp for reading"); −1 without one. */
  readonly thing: number;
  /** The thing, if the catalog has no such thing: then nothing matches. */
  readonly absentThing: string | undefined;
  /** In the order in which they are tried: the cheapest first. */
  readonly relaxations: readonly Relaxation[];
}
