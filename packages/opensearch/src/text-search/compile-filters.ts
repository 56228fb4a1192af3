import { type FacetKind, nameKey, type SearchFilters } from "@product-search/text-index";
import { allOf, anyOf, type Clause, hasAnyTerm } from "./compile-step.ts";

export interface CompiledFilters {
  /** Every match passes these. */
  readonly common: readonly Clause[];
  /** Filters that are ignored when the facet of the same kind is counted. */
  readonly own: ReadonlyMap<FacetKind, Clause>;
}

/** For each word of a text, the terms of which a document must have one. */
export type TermsOfText = (text: string) => readonly (readonly string[])[];

/** `apart` are the facets that are counted without their own filter. */
export function compileFilters(
  filters: SearchFilters,
  apart: readonly FacetKind[],
  termsOf: TermsOfText,
): CompiledFilters {
  const byKind = [
    ["brands", namesFilter("brandKey", filters.brands)],
    ["categories", namesFilter("categoryKey", filters.categories)],
    ["stores", namesFilter("storeKey", filters.stores)],
    ["price", rangeFilter("priceMinor", filters.minPriceMinor, filters.maxPriceMinor)],
    ["rating", rangeFilter("rating", asFloat(filters.minRating))],
  ] as const;
  const common = otherFilters(filters, termsOf);
  const own = new Map<FacetKind, Clause>();
  for (const [kind, clauses] of byKind) {
    const [clause] = clauses;
    if (clause === undefined) continue;
    if (apart.includes(kind)) own.set(kind, clause);
    else common.push(clause);
  }
  return { common, own };
}

function otherFilters(
  { source, availability, minDiscount, require = [], exclude = [] }: SearchFilters,
  termsOf: TermsOfText,
): Clause[] {
  const hasWords = (text: string) => hasAll(termsOf(text));
  return [
    ...(source === undefined ? [] : [{ term: { source } }]),
    ...(availability === undefined ? [] : [{ terms: { availability } }]),
    ...rangeFilter("discount", asFloat(minDiscount)),
    ...require.map((group) => anyOf(group.map(hasWords))),
    ...exclude.map((text) => ({ bool: { must_not: [hasWords(text)] } })),
  ];
}

function namesFilter(field: string, names: readonly string[] | undefined): Clause[] {
  return names === undefined ? [] : [{ terms: { [field]: names.map(nameKey) } }];
}

function rangeFilter(field: string, least: number | undefined, most?: number): Clause[] {
  if (least === undefined && most === undefined) return [];
  return [
    {
      range: {
        [field]: { ...(least !== undefined && { gte: least }), ...(most !== undefined && { lte: most }) },
      },
    },
  ];
}

/** The columns have 32 bits, so a bound is rounded in the same way. */
function asFloat(bound: number | undefined): number | undefined {
  return bound === undefined ? undefined : Math.fround(bound);
}

/** All the words of a text; a text without words matches no document. */
function hasAll(words: readonly (readonly string[])[]): Clause {
  return words.length === 0 ? { match_none: {} } : allOf(words.map(hasAnyTerm));
}
