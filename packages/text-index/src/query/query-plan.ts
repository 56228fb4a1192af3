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
  /** Whether a document must have it. */
  readonly isRequired: boolean;
}

/** A word of the query before it is known whether a document must have it. */
export interface ReadWord extends Omit<PlannedWord, "isRequired"> {
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
  /** What each word says. Only texts of which no document has all words need it, and it takes a tenth of the planning. */
  roles(): readonly WordRole[];
  findAbsentThing(): AbsentThing | undefined;
}

/** A word of the catalog that is similar to another one. */
export interface SimilarWord {
  readonly word: string;
  /** The number of different letters. */
  readonly distance: number;
}

export interface Adjacency {
  readonly names: number;
  readonly adjacent: number;
}

/**
 * Everything that reading a query needs to know about the catalog's words. There are no lists of documents, so any engine
 * that can count its terms can provide it.
 */
export interface WordStatistics {
  readonly documents: number;
  /** The number of documents with the term in any field. */
  documentsWith(term: string): number;
  /** How often the term is in a name, brand, category or store; 0 if only descriptions have it. */
  timesNamed(term: string): number;
  /** How often it is the thing itself: the last word of a name's head, or of a category. */
  timesThing(term: string): number;
  /** Whether the term, where it would name the thing, is always followed by another word: "laptop" in "Laptop Desk". */
  onlyDescribes(term: string): boolean;
  /** Whether it is the last word of a level of categories, so that the products below are such things: "wine" in "Wine > Red". */
  namesLevel(term: string): boolean;
  /** The most words in the name of a level of categories that begins with this term; 0 if none does. */
  longestLevel(first: string): number;
  /** Whether the name of a brand has it. */
  isOfBrand(term: string): boolean;
  /** Whether any words, but at most this many different ones, begin with the prefix. */
  beginsWords(prefix: string, most: number): boolean;
  /** Whether longer words with this prefix have other terms than the word itself. */
  prefixAddsTerms(prefix: string, term: string): boolean;
  /**
   * The words with at most this many different letters, which at least this many documents have (default: 1). Words with
   * fewer documents may be among them.
   */
  similarWords(word: string, distance: number, documents?: number): readonly SimilarWord[];
  /** The longer terms that end with this one, and those that begin with it. */
  termsEndingWith(term: string): readonly string[];
  termsBeginningWith(term: string): readonly string[];
  /** The longer words that end with this text. */
  wordsEndingWith(ending: string): readonly string[];
  /** Whether documents in the language with this tag have the word in this form. */
  hasForm(word: string, tag: string): boolean;
  /** The names of all attributes, folded. */
  attributeNames(): readonly string[];
  /** Whether a value of the attribute has the word. */
  isInValues(attribute: string, word: string): boolean;
  /** How often two terms are adjacent, in this order, in the first names that have both. */
  adjacency(left: string, right: string): Adjacency;
}
