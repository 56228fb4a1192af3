/** A word of the catalog that resembles another one. */
export interface SimilarWord {
  readonly word: string;
  /** How many letters differ. */
  readonly distance: number;
}

/**
 * What reading a query needs to know of the catalog's words, and nothing else: no lists of documents. Any engine that
 * can count its terms can provide it.
 */
export interface WordStatistics {
  readonly documents: number;
  /** How many documents have the term, in any field. */
  documentsWith(term: string): number;
  /** How often the term is part of a name, brand, category or store; 0 when only descriptions have it. */
  timesNamed(term: string): number;
  /** How often it is the thing itself: the last word of the head of a name, or of a category. */
  timesThing(term: string): number;
  /** Whether another word always follows the term that names the thing: "laptop" in "Laptop Desk". Names must have the term. */
  onlyDescribes(term: string): boolean;
  hasWordWithPrefix(prefix: string): boolean;
  /** Whether completing the word to longer ones adds terms to its own. */
  prefixAddsTerms(prefix: string, term: string): boolean;
  /** The words at most so many letters away. */
  similarWords(word: string, distance: number): readonly SimilarWord[];
  /** Whether two terms stand side by side in a name. */
  standSideBySide(left: string, right: string): boolean;
}
