import { fold, readNameList, splitEscaped, unescaped } from "@product-search/core/domain/name-list.ts";
import { fromMinor, type PriceBounds, parsePriceRange } from "@product-search/core/domain/price/money.ts";
import {
  orderPhrasesWithNeighbours,
  type ReadSearch,
  readSearch,
  readUnits,
} from "@product-search/core/domain/query-understanding/read-filters.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import {
  type AttributeFilter,
  type AttributeRange,
  type FacetQuery,
  type FacetRequest,
  facetNames,
  type ListedFacet,
  numberFilters,
  type RangeBound,
  type TextFacets,
  type TextFilters,
  type TextSearch,
} from "@product-search/core/ports/text-search.ts";
import type { CatalogFacets, SearchCatalogOperation } from "@product-search/types";
import type { OperationInput } from "../handler.ts";

const greatestRating = 5;
const maxFacetValues = 50;
const maxPaths = 200;
const frequentAttributes = 20;
const maxNamedAttributes = 20;
const attributePrefix = "attributes.";

export interface FacetParameters {
  facets?: readonly string[];
  maxFacetValues?: number;
  facetQuery?: string;
}

/** The facets that a search counts, in the form of the port; nothing without a list of them. */
export function readFacets({
  facets: parts,
  maxFacetValues: most,
  facetQuery,
}: FacetParameters): FacetRequest | undefined {
  if (parts === undefined) {
    if (facetQuery === undefined) return undefined;
    throw new ApiError(
      "invalid_request",
      `facetQuery: needs facets. Send facets=${facetOf(facetQuery)} as well.`,
    );
  }
  const unknown = parts.find((part) => !isFacet(part));
  if (unknown !== undefined)
    throw new ApiError(
      "invalid_request",
      `facets: "${unknown.slice(0, 60)}" is not a facet. Send some of ${facetNames.join(", ")}, attributes and attributes.NAME.`,
    );
  const names = parts.filter((part) => part.startsWith(attributePrefix)).map(attributeOf);
  if (new Set(names).size > maxNamedAttributes)
    throw new ApiError(
      "invalid_request",
      `facets: names ${names.length} attributes. Name at most ${maxNamedAttributes}.`,
    );
  const hasAttributes = parts.includes("attributes");
  return {
    names: facetNames.filter((name) => parts.includes(name)),
    maxValues: most ?? maxFacetValues,
    maxPaths: most ?? maxPaths,
    ...((hasAttributes || names.length > 0) && {
      attributes: { frequent: hasAttributes ? frequentAttributes : 0, names },
    }),
    ...(facetQuery !== undefined && { query: readFacetQuery(facetQuery, parts) }),
    ignoreOwnFilter: true,
  };
}

function isFacet(part: string): boolean {
  if (part.startsWith(attributePrefix)) return attributeOf(part) !== "";
  return part === "attributes" || facetNames.some((name) => name === part);
}

function attributeOf(part: string): string {
  return unescaped(part.slice(attributePrefix.length)).trim().toLowerCase();
}

function facetOf(facetQuery: string): string {
  return splitEscaped(facetQuery, ":")[0] ?? "";
}

/** The spec allows only facets of names. */
function readFacetQuery(facetQuery: string, parts: readonly string[]): FacetQuery {
  const facet = facetOf(facetQuery);
  const text = unescaped(facetQuery.slice(facet.length + 1));
  const listed = listedFacets.find((name) => name === facet);
  if (listed !== undefined && parts.includes(listed)) return { facet: listed, text };
  const attribute = attributeOf(facet);
  const isCounted = parts.includes("attributes") || parts.some((part) => isNamed(part, attribute));
  if (listed === undefined && isCounted) return { facet: { attribute }, text };
  throw new ApiError(
    "invalid_request",
    `facetQuery: names the facet ${facet}, which is not in facets. Add it to facets.`,
  );
}

function isNamed(part: string, attribute: string): boolean {
  return part.startsWith(attributePrefix) && attributeOf(part) === attribute;
}

const listedFacets: readonly ListedFacet[] = ["brands", "categories", "stores", "categoryPaths"];

/** `color:Black`, `color:Navy`, `size:M`: the values of each name. */
function readAttributes(parameter: string, list: readonly string[]): AttributeFilter[] {
  const byName = new Map<string, string[]>();
  for (const part of list) {
    const [writtenName = "", ...rest] = splitEscaped(part, ":");
    const name = unescaped(writtenName).trim();
    const value = unescaped(rest.join(":")).trim();
    if (name === "" || value === "")
      throw new ApiError(
        "invalid_request",
        `${parameter}: "${part.slice(0, 60)}" is not a name and a value. Write name:value, and a comma or a colon inside them as \\, or \\:.`,
      );
    byName.set(name, [...(byName.get(name) ?? []), value]);
  }
  if (byName.size > maxNamedAttributes)
    throw new ApiError(
      "invalid_request",
      `${parameter}: has ${byName.size} names. Filter by at most ${maxNamedAttributes}.`,
    );
  return Array.from(byName, ([name, values]) => ({ name, values }));
}

/** The requested facets in the form of the response. */
export function toCatalogFacets(facets: TextFacets, request: FacetRequest, currency: string): CatalogFacets {
  const { attributes, ...others } = facets;
  const shown = {
    ...others,
    price: facets.price.map(({ from, to, count }) => ({
      from: fromMinor(from, currency),
      to: fromMinor(to, currency),
      count,
    })),
    rating: apart(facets.rating),
  };
  return {
    ...Object.fromEntries(request.names.map((name) => [name, shown[name]])),
    ...(request.attributes !== undefined && {
      attributes: Object.fromEntries(attributes.map(({ name, values }) => [name, [...values]])),
    }),
    ...attributeRanges(attributes),
  };
}

/** Each product in one range: those from a rating upwards add up to what `minRating` finds. */
function apart(ratings: TextFacets["rating"]): NonNullable<CatalogFacets["rating"]> {
  return ratings.flatMap(({ from, count }, i) => {
    const better = ratings[i - 1];
    const own = count - (better?.count ?? 0);
    return own === 0 ? [] : [{ from, to: better?.from ?? greatestRating, count: own }];
  });
}

function attributeRanges(attributes: TextFacets["attributes"]): Pick<CatalogFacets, "attributeRanges"> {
  const ranges = attributes.flatMap(({ name, range }) => {
    if (range === undefined) return [];
    const { unit, ...bounds } = range;
    return [[name, { ...bounds, ...(unit !== "" && { unit }) }] as const];
  });
  return ranges.length === 0 ? {} : { attributeRanges: Object.fromEntries(ranges) };
}

export interface ReadQueryDeps {
  catalogStore: Pick<CatalogStore, "findByRowIds">;
  textSearch: Pick<TextSearch, "search" | "hasUnit">;
  currency: string;
}

/** Each is a search. */
const maxNames = 4;
/** A product whose name has the words next to each other is one of the first that have them. */
const maxNamesakes = 10;

/** Reads the filters and the order in a search text. Order words that the catalog has in a name stay text: "Cheap Monday jeans". */
export async function readQuery(deps: ReadQueryDeps, text: string, signal: AbortSignal): Promise<ReadSearch> {
  const possible = (await orderPhrasesWithNeighbours(text, deps.currency)).slice(0, maxNames);
  const found = await Promise.all(possible.map((words) => isInName(deps, words, signal)));
  const names = new Set(possible.filter((_, i) => found[i]));
  const isUnit = await readUnits(deps.textSearch, text, deps.currency);
  return readSearch(text, deps.currency, (words) => names.has(words), isUnit);
}

/** Whether the catalog has a product or a brand with these words next to each other in its name. */
async function isInName(
  { catalogStore, textSearch }: ReadQueryDeps,
  words: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { rowIds } = await textSearch.search(
    {
      text: words,
      filters: { source: "catalog" },
      sort: "relevance",
      offset: 0,
      limit: maxNamesakes,
      everyWord: true,
    },
    signal,
  );
  const wanted = wordsOf(words);
  const products = rowIds.length === 0 ? [] : await catalogStore.findByRowIds(rowIds);
  return products.some(
    ({ name, brand }) => wordsOf(name).includes(wanted) || wordsOf(brand ?? "").includes(wanted),
  );
}

/** The folded words, each between two spaces. */
function wordsOf(text: string): string {
  return ` ${
    fold(text)
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(" ") ?? ""
  } `;
}

export type CatalogQuery = OperationInput<SearchCatalogOperation>["query"];

/** The filters of a catalog search: the parameters that do not say what is shown. In entries of lists a backslash escapes. */
export type CatalogFilters = Omit<
  CatalogQuery,
  | "q"
  | "literal"
  | "count"
  | "page"
  | "sort"
  | "order"
  | "facets"
  | "maxFacetValues"
  | "facetQuery"
  | "grouped"
  | "include"
  | "relatedCount"
>;

type Reader = (parameters: CatalogFilters, currency: string) => TextFilters | false | undefined;

type NumbersOf<Parameters> = {
  [Name in keyof Parameters]-?: Parameters[Name] extends number | undefined ? Name : never;
}[keyof Parameters];
type FilterName = keyof CatalogFilters | keyof typeof numberFilters;
/** Those that the port has in the same form. */
type NumberParameter = NumbersOf<CatalogFilters> & keyof typeof numberFilters;

/** All others in the form of the port. */
const readers: Readonly<Record<Exclude<FilterName, NumberParameter | keyof PriceBounds>, Reader>> = {
  priceRange: ({ priceRange }, currency) => priceRange !== undefined && parsePriceRange(priceRange, currency),
  brands: ({ brands }) => brands && { brands: readNameList("brands", brands) },
  categories: ({ categories }) => categories && { categories: readNameList("categories", categories) },
  stores: ({ stores }) => stores && { stores: readNameList("stores", stores) },
  attributes: ({ attributes }) => attributes && { attributes: readAttributes("attributes", attributes) },
  ranges: ({ ranges }) => ranges !== undefined && { ranges: readRanges(ranges) },
  availability: ({ availability }) => availability && { availability },
  onSale: ({ onSale }) => onSale && { onSale },
  notBrands: ({ notBrands }) => notBrands && { notBrands: readNameList("notBrands", notBrands) },
  notCategories: ({ notCategories }) =>
    notCategories && { notCategories: readNameList("notCategories", notCategories) },
  notStores: ({ notStores }) => notStores && { notStores: readNameList("notStores", notStores) },
  notAttributes: ({ notAttributes }) =>
    notAttributes && { notAttributes: readAttributes("notAttributes", notAttributes) },
};

const isNumberParameter = (name: string): name is NumberParameter =>
  !(name in readers) && !name.endsWith("PriceMinor");
const numberParameters = Object.keys(numberFilters).filter(isNumberParameter);

export const catalogFilterNames: readonly string[] = [...Object.keys(readers), ...numberParameters];

/** Empty if no parameter sets a filter. */
export function toTextFilters(parameters: CatalogFilters, currency: string): TextFilters {
  const filters: TextFilters = {};
  for (const name of numberParameters)
    if (parameters[name] !== undefined) Object.assign(filters, { [name]: parameters[name] });
  for (const read of Object.values(readers)) Object.assign(filters, read(parameters, currency));
  const { attributes = [], ranges = [] } = filters;
  if (attributes.length + ranges.length > maxNamedAttributes)
    throw new ApiError(
      "invalid_request",
      `ranges: with attributes, names ${attributes.length + ranges.length} attributes. Filter by at most ${maxNamedAttributes}.`,
    );
  return filters;
}

const number = String.raw`[+-]?\d{1,15}(?:\.\d{1,10})?`;
const bound = String.raw`(?:(${number}) ?([^\s,\d+\-.\[\]()][^\s,\[\]()]{0,19})?)?`;
const range = new RegExp(String.raw`((?:\\.|[^\\:,])+):([\[(]) *${bound} *, *${bound} *([\])])(?:,|$)`, "y");

/** `capacity:[1,2),weight:[,2kg]`: a bound of a bracket that is round is left out. */
function readRanges(text: string): AttributeRange[] {
  const ranges = new Map<string, AttributeRange>();
  range.lastIndex = 0;
  while (range.lastIndex < text.length || ranges.size === 0) {
    const start = range.lastIndex;
    const [, written = "", opening, min, minUnit, max, maxUnit, closing] = range.exec(text) ?? [];
    const name = unescaped(written).trim();
    if (name === "" || (min === undefined && max === undefined))
      throw new ApiError(
        "invalid_request",
        `ranges: "${text.slice(start, start + 60)}" is not a name and a range. Write name:[min,max], such as capacity:[1,2] or weight:[,2kg], with one bound at least, and a colon or a comma inside a name as \\: or \\,.`,
      );
    if (ranges.has(name))
      throw new ApiError(
        "invalid_request",
        `ranges: has ${name.slice(0, 60)} twice. Send one range for each attribute.`,
      );
    if (min !== undefined && max !== undefined && minUnit === maxUnit && Number(min) > Number(max))
      throw new ApiError(
        "invalid_request",
        `ranges: the least value ${min} of ${name.slice(0, 60)} is above the greatest, ${max}. Write the smaller one first.`,
      );
    ranges.set(name, {
      name,
      ...(min !== undefined && { min: toBound(min, minUnit, opening === "(") }),
      ...(max !== undefined && { max: toBound(max, maxUnit, closing === ")") }),
    });
  }
  return [...ranges.values()];
}

function toBound(value: string, unit: string | undefined, isExcluded: boolean): RangeBound {
  return { value: Number(value), ...(unit !== undefined && { unit }), ...(isExcluded && { isExcluded }) };
}
