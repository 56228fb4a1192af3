import type { Availability } from "../domain/availability.ts";
import type { ProductSource } from "../domain/product.ts";

export const textSorts = ["relevance", "price", "price:relevance", "rating", "discount"] as const;
export type TextSort = (typeof textSorts)[number];

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
  minRating?: number;
  minDiscount?: number;
  /** Products with any of these words are left out. */
  withoutWords?: readonly string[];
}

export interface TextQuery {
  /** May be empty when filters say it all. */
  text: string;
  filters: TextFilters;
  sort: TextSort;
  order: "asc" | "desc";
  offset: number;
  limit: number;
  /** Counts by brand and category over all matches, most frequent first, at most this many of each. */
  facetLimit?: number;
}

export interface FacetCount {
  value: string;
  count: number;
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
  facets?: { brands: FacetCount[]; categories: FacetCount[]; stores: FacetCount[] };
}

/** Full-text lookup. Hits come best first; `total` is exact. */
export interface TextSearch {
  search(query: TextQuery, signal: AbortSignal): Promise<TextHits>;
  /** Brand names that contain or resemble the text, best first, of every source. */
  findBrands(text: string, limit: number): Promise<string[]>;
  /** Brand names that the text itself names, longest first. */
  brandsNamedIn(text: string): Promise<string[]>;
  /** Category names that the text itself names, longest first. */
  categoriesNamedIn(text: string): Promise<string[]>;
  /** How many products hold the word, after folding and stemming; 0 for an unknown word. */
  wordFrequency(word: string): Promise<number>;
}
