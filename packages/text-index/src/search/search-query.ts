import {
  isNumberColumn,
  type NumberColumn,
  type NumberFilters,
  numberColumns,
} from "../segment/segment-layout.ts";
import { type NameKind, nameKinds } from "../segment/segment-tables.ts";
import type { DocumentFlag } from "../segment/tags.ts";

/** `popularity` is by quality alone, which begins with it. `price` orders equal prices by quality, `price:relevance` by relevance first. */
export const namedSorts = [
  "relevance",
  "price",
  "price:relevance",
  "rating",
  "discount",
  "popularity",
  ...numberColumns,
] as const;
export type NamedSort = (typeof namedSorts)[number];
/** By the numbers of an attribute, equal ones by relevance. Documents without a number come last under both orders. */
export type NumberSort = `attributes.${string}`;
export type SortKey = NamedSort | NumberSort;

const defaultOrders = {
  relevance: "desc",
  price: "asc",
  "price:relevance": "asc",
  rating: "desc",
  discount: "desc",
  popularity: "desc",
} as const satisfies Record<Exclude<NamedSort, NumberColumn>, "asc" | "desc">;

export function isNumberSort(sort: SortKey): sort is NumberSort {
  return sort.startsWith("attributes.");
}

export function attributeOfSort(sort: NumberSort): string {
  return sort.slice("attributes.".length);
}

/** The order of a query that names none. */
export function defaultOrder(sort: SortKey): "asc" | "desc" {
  return isNumberSort(sort) || isNumberColumn(sort) ? "desc" : defaultOrders[sort];
}

export interface AttributeFilter {
  readonly name: string;
  /** Any of these. */
  readonly values: readonly string[];
}

/** A bound of a range: in its unit, or else in the unit that most values of the attribute have. */
export interface RangeBound {
  readonly value: number;
  readonly unit?: string | undefined;
  readonly isExcluded?: boolean | undefined;
}

export interface AttributeRange {
  readonly name: string;
  readonly min?: RangeBound | undefined;
  readonly max?: RangeBound | undefined;
}

/** Bounds in a unit: every attribute with numbers in it must be within, and there must be one. */
export interface MeasureRange {
  readonly unit: string;
  readonly min?: number;
  readonly max?: number;
}

/** A range in base units, as the index compares it. */
export interface NumberBounds {
  readonly key: FilterKey;
  readonly dimension: string;
  /** Base units of a number without a unit. */
  readonly factor: number;
  readonly least: number;
  readonly most: number;
  readonly excludesLeast: boolean;
  readonly excludesMost: boolean;
}

/** Every condition must hold. */
export interface SearchFilters extends NumberFilters {
  readonly source?: number | undefined;
  /** Any of these. */
  readonly availability?: readonly number[] | undefined;
  /** Any of these names, compared without case and accents. */
  readonly brands?: readonly string[] | undefined;
  /** Any level of any of a document's categories. A path ("Home > Sofas") is one level and everything below it. */
  readonly categories?: readonly string[] | undefined;
  readonly stores?: readonly string[] | undefined;
  /** Each must hold; several of one name are one. Names and values are compared without case and accents. */
  readonly attributes?: readonly AttributeFilter[] | undefined;
  /** A document must have a number of the attribute in each range. What is no numeric attribute finds nothing. */
  readonly ranges?: readonly AttributeRange[] | undefined;
  /** The ranges, when they were resolved. */
  readonly bounds?: readonly NumberBounds[] | undefined;
  readonly measures?: readonly MeasureRange[] | undefined;
  /** The same, when they were resolved: of each, those of every attribute. */
  readonly measureBounds?: ReadonlyArray<readonly NumberBounds[]> | undefined;
  /** Documents with one of these are excluded; compared in the same way. */
  readonly notBrands?: readonly string[] | undefined;
  readonly notCategories?: readonly string[] | undefined;
  readonly notStores?: readonly string[] | undefined;
  readonly notAttributes?: readonly AttributeFilter[] | undefined;
  /** A document must have at least one text of each group: all words of that text, in any field. Never relaxed. */
  readonly withWords?: ReadonlyArray<readonly string[]> | undefined;
  /** Documents with all the words of one of these texts are excluded ("without leather"). */
  readonly withoutWords?: readonly string[] | undefined;
  /** Only boosted documents. */
  readonly boosted?: boolean | undefined;
  /** Only documents on sale. */
  readonly onSale?: boolean | undefined;
  /** A document must be of one of these kinds, at most 200. By relevance, those of the first kinds come first. */
  readonly kinds?: readonly KindFilter[] | undefined;
  /** These hold as well, and no facet ignores them. */
  readonly always?: PropertyFilters | undefined;
}

/** Filters by what a document is, not by its words. */
export type PropertyFilters = Omit<
  SearchFilters,
  "source" | "withWords" | "withoutWords" | "kinds" | "always" | "measures" | "measureBounds"
>;

/** Documents of a category that have all words of a text. An empty category is any, and an empty text is none. */
export interface KindFilter {
  readonly category: string;
  readonly words: string;
}

export interface SearchQuery {
  /** Empty: all documents that pass the filters, best quality first. Without any letter or digit: none. */
  readonly text: string;
  readonly filters?: SearchFilters | undefined;
  /** No word is dropped. By default, words are dropped of which no document of the source has all. */
  readonly everyWord?: boolean | undefined;
  /** Words match only as they are written, not by synonyms. Used for suggestions, which must be fast. */
  readonly asWritten?: boolean | undefined;
  /** Default: relevance. */
  readonly sort?: SortKey | undefined;
  /** Default: `asc` for prices, else `desc`. */
  readonly order?: "asc" | "desc" | undefined;
  readonly offset: number;
  readonly limit: number;
  /** Default: none. */
  readonly facets?: FacetRequest | undefined;
  /** This many documents with some of the words, but not all, are returned separately. Default: none. */
  readonly relatedCount?: number | undefined;
  /** One hit for each group, the first in the order of hits. Totals and facets count groups. Default: every document. */
  readonly grouped?: GroupRequest | undefined;
  /** What the shop's team changes in the result. Default: nothing. */
  readonly rules?: SearchRules | undefined;
  /** Multiplies the relevance of boosted documents: 1 or more. Only in a search by relevance. Default: 1. */
  readonly boostFactor?: number | undefined;
  /** By relevance, documents with this availability come after all others. */
  readonly lastAvailability?: number | undefined;
}

export interface GroupRequest {
  /** Maximum number of the matching documents of a group that are returned with a hit. */
  readonly maxVariants: number;
}

/** Ids that no document has do nothing. */
export interface SearchRules {
  /** Neither matches nor related documents. */
  readonly hide?: readonly number[] | undefined;
  /** Matches if they pass the filters, whatever the text; at their positions in a search by relevance. No two have the same id or the same position. */
  readonly pin?: readonly RulePin[] | undefined;
  /** Only in a search by relevance. */
  readonly boosts?: readonly RuleBoost[] | undefined;
}

export interface RulePin {
  readonly rowId: number;
  /** In the result, from 0. */
  readonly position: number;
}

/** Multiplies the relevance of the documents that have one of the ids, if there are any, and pass the filters. */
export interface RuleBoost {
  readonly filters: Pick<SearchFilters, "brands" | "categories" | "attributes" | "boosted">;
  readonly rowIds?: readonly number[] | undefined;
  readonly factor: number;
}

/** Facets that can be counted over the matches. */
export const facetKinds = [...nameKinds, "price", "rating"] as const;
export type FacetKind = (typeof facetKinds)[number];
/** Facets of numbers. */
export type RangeKind = Exclude<FacetKind, NameKind>;

/** A filter that the facets of its values ignore. That of an attribute has the attribute's normalised name; no facet ignores `not` and `measures`. */
export type FilterKey =
  | FacetKind
  | "availability"
  | DocumentFlag
  | "not"
  | "measures"
  | `attribute ${string}`;

/** What can be counted over the matches, besides attributes. */
export const facetNames = [...facetKinds, "categoryPaths", "availability", "onSale"] as const;
export type FacetName = (typeof facetNames)[number];
/** Facets of names, of which there may be many. */
export type ListedFacet = NameKind | "categoryPaths";

export interface FacetRequest {
  readonly names: readonly FacetName[];
  /** Maximum number of names and of values of an attribute, most frequent first. */
  readonly maxValues: number;
  /** Maximum number of levels of categories, each with its path. Default: `maxValues`. */
  readonly maxPaths?: number | undefined;
  readonly attributes?: AttributeFacetRequest | undefined;
  readonly query?: FacetQuery | undefined;
  /** Counts each facet without its own filter, so that another value can be chosen. Default: only the matches. */
  readonly ignoreOwnFilter?: boolean | undefined;
}

export interface AttributeFacetRequest {
  /** The number of attributes that most documents have. */
  readonly frequent: number;
  /** These as well. */
  readonly names: readonly string[];
}

/** Of one facet, only values are returned in which a word begins with the text. */
export interface FacetQuery {
  readonly facet: ListedFacet | { readonly attribute: string };
  readonly text: string;
}

/** The least and the greatest number, in the unit that most values of the attribute have; empty for none. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly unit: string;
}

/** How a word of the query was used. */
export interface WordReading {
  readonly word: string;
  /**
   * `matched`: hits have it. `optional`: a word like "for", which only ranks. `corrected`, `completed` (the last word
   * was a prefix), `split` (two words were written as one, or one as two): hits have `used` instead. `dropped`: no
   * document of the source has all the words, so this one only ranks. `unknown`: no similar word exists.
   */
  readonly as: "matched" | "optional" | "corrected" | "completed" | "split" | "dropped" | "unknown";
  readonly used: readonly string[];
}

export interface FacetValue {
  readonly value: string;
  readonly count: number;
}

/** The number of documents with a value between these two, inclusive. */
export interface FacetRange {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/**
 * `price`: a few ranges between round prices, lowest first, with similar counts, which do not overlap. `rating`: "4 and
 * above" and so on, best first: each range includes those before it.
 */
export type Facets = Readonly<Record<NameKind, readonly FacetValue[]>> &
  Readonly<Record<RangeKind, readonly FacetRange[]>> & {
    readonly categoryPaths: readonly FacetValue[];
    /** By the caller's codes, most frequent first. */
    readonly availability: ReadonlyArray<{ readonly value: number; readonly count: number }>;
    /** `true`, if any document is. */
    readonly onSale: readonly FacetValue[];
    /** Those that most documents have come first. */
    readonly attributes: readonly AttributeFacet[];
  };

export interface AttributeFacet {
  readonly name: string;
  /** Of a numeric attribute that was requested by its name, if any document counted has a number. */
  readonly range?: NumberRange | undefined;
  readonly values: readonly FacetValue[];
}

/** The matching documents of a hit's group. */
export interface GroupOfHits {
  readonly count: number;
  readonly minPriceMinor: number;
  readonly maxPriceMinor: number;
  /** As many as were requested, best quality first. */
  readonly rowIds: readonly number[];
}

export interface SearchResult {
  /** The page: ids of documents, best first. */
  readonly rowIds: number[];
  /** Relevance of each; comparable only within one result. */
  readonly scores: number[];
  /** Of each hit, if groups were requested. */
  readonly groups: readonly GroupOfHits[];
  /** Documents with only some of the words, best first. They are not among the matches and not counted. */
  readonly relatedRowIds: number[];
  /** The number of matches, or of their groups: exactly as many as paging returns. */
  readonly total: number;
  /** Whether the source has documents that the text means, whatever the filters. */
  readonly finds: "everything" | "words" | "nothing";
  /** The text that was searched instead, if words were corrected or split. */
  readonly correctedText: string | undefined;
  /** The word for the thing, if names in the index use it for a thing. */
  readonly thing: string | undefined;
  /** Whether a name in the catalog has the word for the thing. */
  readonly isThingNamed: boolean;
  /** The thing, if no document is such a thing: then there are no matches. */
  readonly absentThing: string | undefined;
  readonly words: readonly WordReading[];
  /** Over all matches, not only the page; lists that were not requested are empty. */
  readonly facets: Facets;
}
