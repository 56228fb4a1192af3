import { waysOfText } from "../query/query-language.ts";
import type { IndexInternals } from "../search/query-reader.ts";
import { postingCount } from "../segment/postings.ts";
import { NameFinder, type NameMatch } from "./name-finder.ts";

/** The names and words of the index. Comparisons ignore case, accents and punctuation. */
export interface Vocabulary {
  /** The number of documents with the word in any form; 0 if it is unknown. Of several words, the rarest counts. */
  frequency(word: string): number;
  /** Brands that contain or resemble the text, best first. */
  findBrands(text: string, limit: number): NameMatch[];
  findCategories(text: string, limit: number): NameMatch[];
  /** Brands whose whole name occurs in the text, longest first. */
  brandsNamedIn(text: string): NameMatch[];
  /** Also by the last part of a path ("Home > Lamps"), and in any word form: "lamp" finds Lamps. */
  categoriesNamedIn(text: string): NameMatch[];
  storesNamedIn(text: string): NameMatch[];
}

export function createVocabulary(internals: IndexInternals): Vocabulary {
  const { readers, languages } = internals;
  const brands = new NameFinder(readers, "brands", languages);
  const categories = new NameFinder(readers, "categories", languages);
  const stores = new NameFinder(readers, "stores", languages);
  return {
    frequency: (word) => frequency(internals, word),
    findBrands: (text, limit) => brands.find(text, limit),
    findCategories: (text, limit) => categories.find(text, limit),
    brandsNamedIn: (text) => brands.namedIn(text),
    categoriesNamedIn: (text) => categories.namedIn(text),
    storesNamedIn: (text) => stores.namedIn(text),
  };
}

function frequency({ readers, statistics, languages }: IndexInternals, text: string): number {
  const counts = waysOfText(statistics, languages, text).map((ways) =>
    readers.reduce((sum, reader) => sum + postingCount(reader.postingsOf(ways)), 0),
  );
  return counts.length === 0 ? 0 : Math.min(...counts);
}
