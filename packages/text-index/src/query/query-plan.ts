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

/** A required word, or the words of a phrase, which a document has together or not at all: "water bottle". */
export interface Unit {
  /** The indices of its words. */
  readonly places: readonly number[];
  readonly cost: number;
  /** Whether it says what is wanted. Other units only describe that: a colour, a size. */
  readonly isNaming: boolean;
}

/** A way to require fewer than all units. */
export interface Relaxation {
  /** The minimum total cost of the units that a document must have. */
  readonly least: number;
  /** Whether a document must have a unit that names something. */
  readonly needsNaming: boolean;
}

/** The thing, if the catalog seems to have no such thing. */
export interface AbsentThing {
  readonly word: string;
  /** Whether no name has the word: then nothing matches. If names have it ("Laptop Desk"), a document with all words does. */
  readonly isCertain: boolean;
}

/** What a query asks for, in terms: everything that a search engine must know about its words. */
export interface QueryPlan {
  /** The language in which the query was read. */
  readonly language: Language;
  readonly words: readonly PlannedWord[];
  /** The index of the word that names the thing ("lamp" in "desk lamp for reading"); −1 without one. */
  readonly thing: number;
  /** Whether names in the catalog use that word for a thing. */
  readonly isThingSure: boolean;
  findAbsentThing(): AbsentThing | undefined;
  /** How words are dropped. Most queries find enough without, so it is computed only when it is needed. */
  relax(): {
    readonly units: readonly Unit[];
    /** The strictest first. */
    readonly relaxations: readonly Relaxation[];
  };
}
