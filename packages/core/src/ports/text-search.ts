import type {
  Facets,
  GroupOfHits,
  SearchFilters,
  SearchQuery,
  SortKey,
  Suggestions,
  SuggestQuery,
} from "@product-search/text-index";
import type { Availability } from "../domain/availability.ts";
import type { ProductSource } from "../domain/product.ts";

// A search is described in the words of the embedded index, with the service's names of sources and availability.
export {
  type AttributeFilter,
  type AttributeRange,
  type FacetQuery,
  type FacetRequest,
  type FacetValue,
  facetNames,
  type GroupOfHits,
  isNumberSort,
  type KindFilter,
  type ListedFacet,
  type MeasureRange,
  type NamedSort,
  type NumberColumn,
  namedSorts,
  numberFilters,
  type RangeBound,
  type RuleBoost,
  type RulePin,
  type SearchRules,
  type SortKey,
} from "@product-search/text-index";

export interface TextFilters extends NamedFilters {
  readonly source?: ProductSource | undefined;
  /** These hold as well, and no facet ignores them: what a token may see. */
  readonly always?: PropertyFilters | undefined;
}

/** Filters by what a product is, not by its words. */
export type PropertyFilters = Omit<
  TextFilters,
  "source" | "withWords" | "withoutWords" | "kinds" | "always" | "measures"
>;

/** Without what the index works out by itself. */
interface NamedFilters
  extends Omit<SearchFilters, "source" | "availability" | "always" | "boosted" | "bounds" | "measureBounds"> {
  readonly availability?: readonly Availability[] | undefined;
}

export interface TextQuery extends Omit<SearchQuery, "filters" | "sort" | "asWritten" | "lastAvailability"> {
  readonly filters: TextFilters;
  readonly sort: SortKey;
  /** By relevance, what is out of stock comes after all that is not. Pins stay. */
  readonly outOfStockLast?: boolean | undefined;
  /** If the words of the text name nothing that the source has, kinds are chosen by its meaning, see `TextHits.kinds`. */
  readonly byMeaning?: boolean | undefined;
}

export interface TextFacets extends Omit<Facets, "availability"> {
  /** Most frequent first. */
  readonly availability: ReadonlyArray<{ value: Availability; count: number }>;
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

export interface SuggestionQuery extends Omit<SuggestQuery, "source" | "lastAvailability"> {
  readonly source: ProductSource;
  /** What is out of stock comes after all that is not. */
  readonly outOfStockLast?: boolean | undefined;
}

export type TextSuggestions = Suggestions;

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
