import type { Language } from "../language/language.ts";

/**
 * One way in which a document can match a word of the query: a term, several terms, or any word with a prefix. `weight` is
 * at most 1.
 */
export type Alternative =
  | { readonly term: string; readonly weight: number }
  | { readonly terms: readonly string[]; readonly weight: number }
  | { readonly prefix: string; readonly weight: number };

/**
 * What a word says. `thing`: what is wanted. `defining`: what makes it another thing, as "dog" in "dog bed". `use`: a place, a
 * use, a brand and the rest. `property`: a colour, a material. `measure`: a size, a number, or a word that says little. `none`:
 * a word that is never required.
 */
export type WordRole = "thing" | "defining" | "use" | "property" | "measure" | "none";

/** A word of the query, and what a document may have instead of it. */
export interface PlannedWord {
  /** As typed, folded. */
  readonly word: string;
  /** `dropped`: no document of the source has it besides the others, so it only ranks. */
  readonly as: "matched" | "optional" | "corrected" | "completed" | "split" | "unknown" | "dropped";
  /** The words of the catalog that it was read as. */
  readonly used: readonly string[];
  readonly alternatives: readonly Alternative[];
  readonly role: WordRole;
  /** Whether a document must have it. */
  readonly isRequired: boolean;
}

/** A word of the query before its role is known. */
export interface ReadWord extends Omit<PlannedWord, "role" | "isRequired"> {
  /** Whether it is the unit of the amount before it. */
  readonly isUnit: boolean;
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
}
