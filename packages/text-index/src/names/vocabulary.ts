import { attributeNamesIn } from "../facets/count-attribute-names.ts";
import { attributesInUnit, numericAttribute } from "../facets/numeric-attributes.ts";
import { waysOfText } from "../query/query-language.ts";
import type { IndexInternals } from "../search/query-reader.ts";
import { postingCount } from "../segment/postings.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { countNames, NameFinder, type NameMatch } from "./name-finder.ts";

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
  /** Names of attributes, folded, in any word form; also by their last word: "size" names "shoe size". */
  attributesNamedIn(text: string): string[];
  /** Of an attribute whose values are numbers in the documents of a source; empty for numbers without one. */
  numberUnit(attribute: string, source: number): string | undefined;
  /** The keys of the names of attributes that a source has, if there are at least so many. */
  manyAttributes(source: number | undefined, least: number): ReadonlySet<string> | undefined;
  /** Whether some attribute has numbers in the unit, or in another one of its dimension. */
  hasUnit(unit: string, source: number): boolean;
}

export function createVocabulary(internals: IndexInternals): Vocabulary {
  const { readers, languages, statistics } = internals;
  const finderOf = (kind: NameKind) => new NameFinder(() => countNames(readers, kind), kind, languages);
  const brands = finderOf("brands");
  const categories = finderOf("categories");
  const stores = finderOf("stores");
  // How many products have an attribute is not asked here.
  const attributes = new NameFinder(
    () => new Map(statistics.attributeNames().map((name) => [name, 1])),
    "attributes",
    languages,
  );
  const namesBySource = new Map<number | undefined, ReadonlySet<string>>();
  return {
    frequency: (word) => frequency(internals, word),
    findBrands: (text, limit) => brands.find(text, limit),
    findCategories: (text, limit) => categories.find(text, limit),
    brandsNamedIn: (text) => brands.namedIn(text),
    categoriesNamedIn: (text) => categories.namedIn(text),
    storesNamedIn: (text) => stores.namedIn(text),
    attributesNamedIn: (text) => attributes.namedIn(text).map(({ name }) => name),
    numberUnit: (attribute, source) => numericAttribute(readers, attribute, source)?.unit,
    manyAttributes(source, least) {
      // Counting by source reads all documents: only for catalogs with many names.
      if (statistics.attributeNames().length < least) return undefined;
      const names = namesBySource.get(source) ?? attributeNamesIn(readers, source);
      namesBySource.set(source, names);
      return names.size < least ? undefined : names;
    },
    hasUnit: (unit, source) => attributesInUnit(readers, unit, source).length > 0,
  };
}

function frequency({ readers, statistics, languages }: IndexInternals, text: string): number {
  const counts = waysOfText(statistics, languages, text).map((ways) =>
    readers.reduce((sum, reader) => sum + postingCount(reader.postingsOf(ways)), 0),
  );
  return counts.length === 0 ? 0 : Math.min(...counts);
}
