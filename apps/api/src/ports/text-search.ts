import type { Availability } from "../domain/availability.ts";
import type { ProductSource } from "../domain/product.ts";

export const textSorts = ["relevance", "price", "price:relevance", "rating", "discount"] as const;
export type TextSort = (typeof textSorts)[number];

export const facetNames = ["brands", "categories", "stores", "price", "rating"] as const;
export type FacetName = (typeof facetNames)[number];

export interface TextFilters {
  source?: ProductSource;
  /** Both bounds are included. */
  minPriceMinor?: number;
  maxPriceMinor?: number;
  availability?: readonly Availability[];
  /** Any of these brands, compared without case and accents. */
  brands?: readonly string[];
  /** Any of these categories, compared without case and accents. */
  categories?: readonly string[];
  /** Any of these stores, compared without case and accents. */
  stores?: readonly string[];
  minRating?: number;
  minDiscount?: number;
  /** Of each group a product has at least one word, in any field; never given up, unlike words of `text`. */
  withWords?: readonly (readonly string[])[];
  /** Products with any of these words are left out. */
  withoutWords?: readonly string[];
}

export interface TextQuery {
  /** May be empty when filters say it all. */
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
  /** Each facet is counted as if its own filter were not there, so that its other values can be chosen. */
  facetsIgnoreOwnFilter?: boolean;
  /** Gives so many products that have only some of the words, best first, apart from the hits. */
  relatedLimit?: number;
  /** Give up no word of `text`: a product that lacks one is no match. `droppedWords` is then empty. */
  everyWord?: boolean;
}

export interface FacetCount {
  value: string;
  count: number;
}

/** Products with a price between these two, both included. */
export interface PriceRangeCount {
  minPriceMinor: number;
  maxPriceMinor: number;
  count: number;
}

/** Products with this rating or a better one. */
export interface RatingCount {
  minRating: number;
  count: number;
}

export interface TextFacets {
  brands: FacetCount[];
  categories: FacetCount[];
  stores: FacetCount[];
  /** Few ranges between round prices, the lowest first. They do not overlap, and none is empty. */
  price: PriceRangeCount[];
  /** The best rating first; each counts those before it, too. */
  rating: RatingCount[];
}

export interface TextHits {
  /** Best first; ties by quality score, then `_id`. */
  rowIds: number[];
  /** Exact: as many as paging returns. */
  total: number;
  /** Words of the query that had to be given up to find anything. */
  droppedWords: string[];
  /** The query as it was read after spelling correction, when that differs from the words sent. */
  correctedText?: string;
  /** What was asked for, when the catalog has no such thing. There are no hits then. */
  absentThing?: string;
  /** Empty lists for those that were not asked for. */
  facets?: TextFacets;
  /** None of them is in `rowIds` of any page. */
  relatedRowIds?: number[];
}

/** Full-text lookup. Hits come best first; `total` is exact. */
export interface TextSearch {
  search(query: TextQuery, signal: AbortSignal): Promise<TextHits>;
  /** Brand names that contain or resemble the text, best first, of every source. */
  findBrands(text: string, limit: number): Promise<string[]>;
  /** Brand names that the text itself names, longest first. */
  brandsNamedIn(text: string): Promise<string[]>;
  /** Category names that the text itself names, longest first; singular and plural are the same ("lamp" names Lamps). */
  categoriesNamedIn(text: string): Promise<string[]>;
  /** Store names that the text itself names, longest first. */
  storesNamedIn(text: string): Promise<string[]>;
  /** How many products hold the word, after folding and stemming; 0 for an unknown word. */
  wordFrequency(word: string): Promise<number>;
}
