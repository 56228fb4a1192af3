/**
 * A way in which a document can have a word of the query: a term, several terms, or any word with a prefix. `weight` is at
 * most 1.
 */
export type Alternative =
  | { readonly term: string; readonly weight: number }
  | { readonly terms: readonly string[]; readonly weight: number }
  | { readonly prefix: string; readonly weight: number };

/** A word of the query and what documents may have for it. */
export interface PlannedWord {
  /** As it was typed, folded. */
  readonly word: string;
  readonly as: "matched" | "optional" | "corrected" | "completed" | "split" | "unknown";
  /** The words of the catalog that it was taken for. */
  readonly used: readonly string[];
  readonly alternatives: readonly Alternative[];
  /** What it costs to give the word up; 0 for words that are never asked for. */
  readonly cost: number;
}

/** A way to ask for less than all the words. */
export interface Relaxation {
  /** What the words of a document must be worth by their costs; without the thing, where that is needed besides. */
  readonly least: number;
  readonly needsThing: boolean;
  /** For when nothing was found at all. The others are for when too little was found. */
  readonly isLastResort: boolean;
}

/** What a query asks for, in terms: all that a search engine must know of its words. */
export interface QueryPlan {
  readonly words: readonly PlannedWord[];
  /** The place of the word that says what is wanted ("lamp" in "desk lamp for reading"); −1 without one. */
  readonly thing: number;
  /** What is wanted, when the catalog has no such thing: then nothing matches. */
  readonly absentThing: string | undefined;
  /** From what gives up least to what gives up most. */
  readonly relaxations: readonly Relaxation[];
}
