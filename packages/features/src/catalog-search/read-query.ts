import { fold, splitEscaped, unescaped } from "@product-search/core/domain/name-list.ts";
import { fromMinor } from "@product-search/core/domain/price/money.ts";
import {
  orderPhrasesWithNeighbours,
  type ReadSearch,
  readSearch,
  readUnits,
} from "@product-search/core/domain/query-understanding/read-filters.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import {
  type AttributeFilter,
  type FacetQuery,
  type FacetRequest,
  facetNames,
  type ListedFacet,
  type TextFacets,
} from "@product-search/core/ports/text-search.ts";
import type { CatalogFacets } from "@product-search/types";

const greatestRating = 5;
const maxFacetValues = 50;
const maxPaths = 200;
const frequentAttributes = 20;
export const maxNamedAttributes = 20;
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
export function readAttributes(parameter: string, list: readonly string[]): AttributeFilter[] {
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
