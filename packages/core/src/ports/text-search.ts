import type { Facets, FacetValue, GroupOfHits } from "@product-search/text-index";
import type { Availability } from "../domain/availability.ts";
import type { ProductSource } from "../domain/product.ts";

export type { FacetValue, GroupOfHits };

export const textSorts = [
  "relevance",
  "price",
  "price:relevance",
  "rating",
  "discount",
  "popularity",
  "newest",
  "rank",
] as const;
export type NamedSort = (typeof textSorts)[number];
/** By the numbers of an attribute; products without a number come last under both orders. */
export type NumberSort = `attributes.${string}`;
export type TextSort = NamedSort | NumberSort;

export function isNumberSort(sort: TextSort): sort is NumberSort {
  return sort.startsWith("attributes.");
}

/** A bound of a range: in its unit, or else in the unit that most values of the attribute have. */
export interface RangeBound {
  value: number;
  unit?: string;
  isExcluded?: boolean;
}

/** Bounds in a unit: every attribute with numbers in it must be within, and there must be one. */
export interface MeasureRange {
  unit: string;
  min?: number;
  max?: number;
}

export interface AttributeRange {
  name: string;
  min?: RangeBound;
  max?: RangeBound;
}

export const facetNames = [
  "brands",
  "categories",
  "stores",
  "price",
  "rating",
  "categoryPaths",
  "availability",
  "onSale",
] as const;
export type FacetName = (typeof facetNames)[number];
/** Facets of names, of which there may be many. */
export type ListedFacet = "brands" | "categories" | "stores" | "categoryPaths";

export interface AttributeFilter {
  name: string;
  /** Any of these. */
  values: readonly string[];
}

export interface TextFilters {
  source?: ProductSource;
  /** Both bounds are inclusive. */
  minPriceMinor?: number;
  maxPriceMinor?: number;
  availability?: readonly Availability[];
  /** Any of these brands, compared without case and accents. */
  brands?: readonly string[];
  /**
   * Any of these categories, at any level, compared without case and accents. "Home > Sofas" is this path and everything
   * below it.
   */
  categories?: readonly string[];
  /** Each must hold; several of one name are one. Names and values are compared without case and accents. */
  attributes?: readonly AttributeFilter[];
  /** Any of these stores, compared without case and accents. */
  stores?: readonly string[];
  /** A product must have a number of the attribute in each range. What is no numeric attribute finds nothing. */
  ranges?: readonly AttributeRange[];
  measures?: readonly MeasureRange[];
  /** Products with one of these are excluded; compared in the same way. */
  notBrands?: readonly string[];
  notCategories?: readonly string[];
  notStores?: readonly string[];
  notAttributes?: readonly AttributeFilter[];
  minRating?: number;
  minDiscount?: number;
  /** Only products with an original price above their price. */
  onSale?: boolean;
  /** A product must have at least one word of each group, in any field. Never relaxed, unlike words of `text`. */
  withWords?: readonly (readonly string[])[];
  /** Products with any of these words are excluded. */
  withoutWords?: readonly string[];
  /** A product must be of one of these kinds. By relevance, those of the first kinds come first. */
  kinds?: readonly KindOfProduct[];
  /** These hold as well, and no facet ignores them: what a token may see. */
  always?: PropertyFilters;
}

/** Filters by what a product is, not by its words. */
export type PropertyFilters = Omit<
  TextFilters,
  "source" | "withWords" | "withoutWords" | "kinds" | "always" | "measures"
>;

/** Products of a category that have all these words. An empty category is any, and empty words are none. */
export interface KindOfProduct {
  category: string;
  words: string;
}

export interface TextQuery {
  /** May be empty if there are filters. */
  text: string;
  filters: TextFilters;
  sort: TextSort;
  /** Default: `asc` for prices, else `desc`. */
  order?: "asc" | "desc";
  offset: number;
  limit: number;
  /** Facets are counted over all matches, with at most this many brands, categories and stores, most frequent first. */
  facetLimit?: number;
  /** The facets that are counted. Default: brands, categories and stores. */
  facets?: readonly FacetName[];
  /** At most this many levels of categories, if `categoryPaths` are counted. Default: `facetLimit`. */
  pathLimit?: number;
  /** The attributes that are counted: those that most hits have, and those named. Default: none. */
  attributeFacets?: { frequent: number; names: readonly string[] };
  /** Of one facet, only values in which a word begins with the text. */
  facetBeginning?: { facet: ListedFacet | { attribute: string }; text: string };
  /** Counts each facet without its own filter, so that another value can be chosen. */
  facetsIgnoreOwnFilter?: boolean;
  /** Returns this many products with some of the words, but not all, best first, separate from the hits. */
  relatedCount?: number;
  /** What the shop's team changes in the result. */
  rules?: TextRules;
  /** Multiplies the relevance of boosted products: 1 or more, only in a search by relevance. Default: 1. */
  boostFactor?: number;
  /** By relevance, what is out of stock comes after all that is not. Pins stay. */
  outOfStockLast?: boolean;
  /** No word of `text` is dropped: a product without one does not match, and `droppedWords` is empty. */
  everyWord?: boolean;
  /** If the words of the text name nothing that the source has, kinds are chosen by its meaning, see `TextHits.kinds`. */
  byMeaning?: boolean;
  /**
   * One hit for each group, the best in the order of hits. Totals and facets count groups. `variantLimit` is the greatest number
   * of variants that are returned with a hit.
   */
  grouped?: { maxVariants: number };
}

/** Rows that do not exist do nothing. Counts, pages and facets are those of the changed result. */
export interface TextRules {
  /** Neither hits nor related products. */
  hide: readonly number[];
  /** Hits if they pass the filters, whatever the text, by relevance each at its position from 0. Not hidden ones. */
  pin: readonly { rowId: number; position: number }[];
  /** Each multiplies the relevance of the products that are one of each list it has. Only in a search by relevance. */
  boosts: readonly TextBoost[];
}

export interface TextBoost {
  brands?: readonly string[];
  categories?: readonly string[];
  attributes?: readonly AttributeFilter[];
  rowIds?: readonly number[];
  factor: number;
}

export interface TextFacets extends Omit<Facets, "availability" | "onSale"> {
  /** Most frequent first. */
  readonly availability: ReadonlyArray<{ value: Availability; count: number }>;
  /** `true`, if any product is. */
  readonly onSale: readonly FacetValue[];
}

/** All but the hits, counts and facets is how the text was read: it follows from the text and the source, not from filters. */
export interface TextHits {
  /** Best first; equal scores by quality score, then `_id`. */
  rowIds: number[];
  /** For each hit, if groups were requested. */
  groups?: readonly GroupOfHits[];
  /** Exact: the number of hits on all pages. */
  total: number;
  /**
   * Whether the source has products that the text means, whatever the filters: `thing` if one is called what the text names, else
   * `words`.
   */
  sourceHas: "nothing" | "words" | "thing";
  /** Words of the query that hits need not have, because no product of the source has all words. */
  droppedWords: string[];
  /** The query after spelling correction, if it differs from the text. */
  correctedText?: string;
  /** The names of kinds that were chosen by the meaning of the text, best first: at most 20, each of at least one hit. */
  kinds?: readonly string[];
  /** The store that the text asks for, if it asks for one. */
  stores?: readonly string[];
  /** The word of the text for the thing, if products of the catalog are called so: "lamp". */
  thing?: string;
  /** The thing that was searched for, if the catalog has no such thing. There are no hits then. */
  absentThing?: string;
  /** Empty lists for facets that were not requested. */
  facets?: TextFacets;
  /** Separate from the hits: none of them is in `rowIds` of any page. */
  relatedRowIds?: number[];
}

export interface SuggestionQuery {
  /** The text typed so far; its last word may be incomplete. */
  text: string;
  /** The source of all suggestions. */
  source: ProductSource;
  /** At most this many queries, this many brands and categories each, and this many products. */
  queryLimit: number;
  nameLimit: number;
  productLimit: number;
  /** What is out of stock comes after all that is not. */
  outOfStockLast?: boolean;
}

export interface TextSuggestions {
  /** Completed queries, most likely first. Each finds a product that has all its words. */
  queries: string[];
  brands: string[];
  categories: string[];
  /** Products of the most likely query, or of the text itself if there is no query. */
  rowIds: number[];
}

/** Full-text search. Hits come best first; `total` is exact. */
export interface TextSearch {
  search(query: TextQuery, signal: AbortSignal): Promise<TextHits>;
  /** For search as you type, from the first letter on. Corrects typing errors in words of four letters or more. */
  suggest(query: SuggestionQuery, signal: AbortSignal): Promise<TextSuggestions>;
  /** Brand names of any source that contain or resemble the text, best first. */
  findBrands(text: string, limit: number): Promise<string[]>;
  /** Brand names that occur in the text, longest first. */
  brandsNamedIn(text: string): Promise<string[]>;
  /** Category names that occur in the text, longest first; singular and plural are the same ("lamp" finds Lamps). */
  categoriesNamedIn(text: string): Promise<string[]>;
  /** Store names that occur in the text, longest first. */
  storesNamedIn(text: string): Promise<string[]>;
  /** Names of attributes that occur in the text, without case and accents; singular and plural are the same. */
  attributesNamedIn(text: string): Promise<string[]>;
  /**
   * The unit that most values of the attribute have in the products of a source, empty for numbers without one. Undefined if the
   * values are no numbers.
   */
  numberUnit(attribute: string, source: ProductSource): Promise<string | undefined>;
  /** Whether some attribute of the source has numbers in the unit, or in another one that measures the same. */
  hasUnit(unit: string, source: ProductSource): Promise<boolean>;
  /** The number of products with the word, after folding and stemming; 0 for an unknown word. */
  wordFrequency(word: string): Promise<number>;
}
