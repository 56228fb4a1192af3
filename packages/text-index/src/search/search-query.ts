import { type NameKind, nameKinds } from "../segment/segment-tables.ts";

/** `price` breaks its ties by quality, `price:relevance` by relevance first. */
export type SortKey = "relevance" | "price" | "price:relevance" | "rating" | "discount";

/** Every condition must hold. Bounds are inclusive. */
export interface SearchFilters {
  readonly source?: number | undefined;
  readonly minPriceMinor?: number | undefined;
  readonly maxPriceMinor?: number | undefined;
  /** Any of these. */
  readonly availability?: readonly number[] | undefined;
  /** Any of these names, compared without case and accents. */
  readonly brands?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly stores?: readonly string[] | undefined;
  readonly minRating?: number | undefined;
  readonly minDiscount?: number | undefined;
  /** Of each group, documents have at least one: all the words of one of its texts, in any field. Never relaxed. */
  readonly require?: ReadonlyArray<readonly string[]> | undefined;
  /** Documents with all the words of one of these texts are left out ("without leather"). */
  readonly exclude?: readonly string[] | undefined;
}

export interface SearchQuery {
  /** Empty: every document that the filters let through, best quality first. Without a letter or digit in it: none. */
  readonly text: string;
  readonly filters?: SearchFilters | undefined;
  /** Documents that lack a word never match. Default: they do while there are fewer than ten hits (one, under a sort by a column). */
  readonly everyWord?: boolean | undefined;
  /** Default: relevance. */
  readonly sort?: SortKey | undefined;
  /** Default: `asc` for prices, else `desc`. */
  readonly order?: "asc" | "desc" | undefined;
  readonly offset: number;
  readonly limit: number;
  /** Default: none. */
  readonly facets?: FacetRequest | undefined;
  /** So many of the documents that match only some of the words are named apart from the matches. Default: none. */
  readonly related?: number | undefined;
}

/** What can be counted over the matches. */
export const facetKinds = [...nameKinds, "price", "rating"] as const;
export type FacetKind = (typeof facetKinds)[number];

export interface FacetRequest {
  readonly of: readonly FacetKind[];
  /** At most so many brands, categories and stores, most frequent first. */
  readonly limit: number;
  /** Counts each facet as if its own filter were not there, so that its other values can be chosen. Default: the matches alone. */
  readonly ignoreOwnFilter?: boolean | undefined;
}

/** What became of a word of the query. */
export interface WordReading {
  readonly word: string;
  /**
   * `matched`: hits have it. `optional`: a word like "for", which only ranks. `corrected`, `completed` (the last word
   * began so), `split` (two words were written as one, or one as two): hits have `used` instead. `dropped`: no document has all the words, and the
   * best lacks this one. `unknown`: nothing is like it.
   */
  readonly as: "matched" | "optional" | "corrected" | "completed" | "split" | "dropped" | "unknown";
  readonly used: readonly string[];
}

export interface FacetValue {
  readonly name: string;
  readonly documents: number;
}

/** Documents with a value between these two, both included. */
export interface FacetRange {
  readonly from: number;
  readonly to: number;
  readonly documents: number;
}

export interface Facets extends Readonly<Record<NameKind, readonly FacetValue[]>> {
  /** Few ranges between round prices, the lowest first, each with about as many documents. They do not overlap. */
  readonly price: readonly FacetRange[];
  /** "4 and more" and the like, the best first: each holds those before it. */
  readonly rating: readonly FacetRange[];
}

export interface SearchResult {
  /** The page: ids of documents, best first. */
  readonly ids: number[];
  /** Relevance of each, comparable within one result only. */
  readonly scores: number[];
  /** Documents with only some of the words, best first. Never among the matches, nor counted anywhere. */
  readonly relatedIds: number[];
  /** How many documents match: exactly as many as paging returns. */
  readonly total: number;
  /** How many of them have every word that is known at all. */
  readonly totalWithEveryWord: number;
  /** The text that was searched instead, where words were corrected or split. */
  readonly correctedText: string | undefined;
  /** What is wanted, when no document is such a thing: there are no matches then. */
  readonly absentThing: string | undefined;
  readonly words: readonly WordReading[];
  /** Over all matches, not only the page; empty lists for those that were not asked for. */
  readonly facets: Facets;
}
