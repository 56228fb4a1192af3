import {
  boundedNumbers,
  type FilterKey,
  filterKeys,
  type KindFilter,
  kindPoints,
  measureRanges,
  nameKey,
  numberRanges,
  type SearchFilters,
} from "@product-search/text-index";
import { allOf, anyOf, type Clause, hasAnyTerm } from "./compile-reading.ts";

export interface CompiledFilters {
  /** Every match passes these. */
  readonly common: readonly Clause[];
  /** Filters that are ignored when the facet of the same kind is counted. */
  readonly own: ReadonlyMap<FilterKey, Clause>;
  /** What ranks products besides their words. */
  readonly nearness: readonly Clause[];
}

/** For each word of a text, the terms of which a document must have one. */
type TermsOfText = (text: string) => readonly (readonly string[])[];

/** `apart` are the facets that are counted without their own filter. */
export function compileFilters(
  filters: SearchFilters,
  apart: readonly FilterKey[],
  termsOf: TermsOfText,
): CompiledFilters {
  const byKind: ReadonlyArray<readonly [FilterKey, readonly Clause[]]> = [
    ["brands", namesFilter("brandKey", filters.brands)],
    ["stores", namesFilter("storeKey", filters.stores)],
    ...boundedNumbers(filters).map(({ of, least, most }): readonly [FilterKey, readonly Clause[]] => [
      of === "priceMinor" ? "price" : of === "rating" ? "rating" : "not",
      [rangeFilter(of, least, most)],
    ]),
    ["availability", availabilityFilter(filters)],
    ...filterKeys(filters).map(({ kind, keys }): readonly [FilterKey, readonly Clause[]] => [
      kind,
      [tagFilter(kind, keys, filters)],
    ]),
    ...numberRanges(filters).map(({ kind, ranges }): readonly [FilterKey, readonly Clause[]] => [
      kind,
      [anyNumber(ranges)],
    ]),
    [
      "measures",
      measureRanges(filters).flatMap(({ inside, outside }) => [anyNumber(inside), not(anyNumber(outside))]),
    ],
    [
      "not",
      [...namesFilter("brandKey", filters.notBrands), ...namesFilter("storeKey", filters.notStores)].map(not),
    ],
  ];
  const common = otherFilters(filters, termsOf);
  const own = new Map<FilterKey, Clause>();
  for (const [kind, clauses] of byKind) {
    const [clause] = clauses;
    const known = own.get(kind);
    // A value and a range of one attribute are one filter of its own.
    if (clause !== undefined && apart.includes(kind))
      own.set(kind, known === undefined ? clause : allOf([known, clause]));
    else common.push(...clauses);
  }
  return { common, own, nearness: nearnessOf(filters, termsOf) };
}

function anyNumber(ranges: ReadonlyArray<{ from: string; to: string }>): Clause {
  return anyOf(ranges.map(({ from, to }) => ({ range: { numbers: { gte: from, lte: to } } })));
}

/** The points of products for how near their kind is; none with only one kind. */
function nearnessOf({ kinds = [] }: SearchFilters, termsOf: TermsOfText): Clause[] {
  if (kinds.length < 2) return [];
  const queries = kinds.map((kind, i) => ({
    constant_score: {
      filter: ofKind(kind, (text) => hasAll(termsOf(text))),
      boost: (kinds.length - i) * kindPoints,
    },
  }));
  return [{ dis_max: { queries } }];
}

function otherFilters(
  { source, withWords: require = [], withoutWords: exclude = [], kinds, always }: SearchFilters,
  termsOf: TermsOfText,
): Clause[] {
  const hasWords = (text: string) => hasAll(termsOf(text));
  return [
    sourceFilter(source),
    ...require.map((group) => anyOf(group.map(hasWords))),
    ...(kinds === undefined ? [] : [anyOf(kinds.map((kind) => ofKind(kind, hasWords)))]),
    ...exclude.map((text) => not(hasWords(text))),
    ...(always === undefined ? [] : compileFilters(always, [], termsOf).common),
  ];
}

/** Documents of groups have no source. */
export function sourceFilter(source: number | undefined): Clause {
  return source === undefined ? { exists: { field: "source" } } : { term: { source } };
}

function ofKind({ category, words }: KindFilter, hasWords: (text: string) => Clause): Clause {
  const ofCategory = category === "" ? [] : namesFilter("categoryKey", [category]);
  return words === "" && ofCategory.length > 0 ? allOf(ofCategory) : allOf([...ofCategory, hasWords(words)]);
}

function availabilityFilter({ availability }: SearchFilters): Clause[] {
  return availability === undefined ? [] : [{ terms: { availability } }];
}

/** For the keys of a kind that `filterKeys` returns. */
export function tagFilter(kind: FilterKey, keys: readonly string[], { categories }: SearchFilters): Clause {
  if (kind === "not") return not({ terms: { tagKeys: keys } });
  return kind === "categories" ? categoryFilter(keys, categories) : { terms: { tagKeys: keys } };
}

function not(clause: Clause): Clause {
  return { bool: { must_not: [clause] } };
}

/** Indexes of the release before have no keys of levels: there a category is only the last name of the first path. */
function categoryFilter(keys: readonly string[], names: readonly string[] = []): Clause {
  return anyOf([{ terms: { tagKeys: keys } }, ...namesFilter("categoryKey", names)]);
}

export function namesFilter(field: string, names: readonly string[] | undefined): Clause[] {
  return names === undefined ? [] : [{ terms: { [field]: names.map(nameKey) } }];
}

function rangeFilter(field: string, least: number, most: number): Clause {
  const bounds = {
    ...(Number.isFinite(least) && { gte: least }),
    ...(Number.isFinite(most) && { lte: most }),
  };
  return { range: { [field]: bounds } };
}

/** All the words of a text; a text without words matches no document. */
function hasAll(words: readonly (readonly string[])[]): Clause {
  return words.length === 0 ? { match_none: {} } : allOf(words.map(hasAnyTerm));
}
