import type { CatalogFacets, Client, FacetValue, Product, SuggestionsResponse } from "@product-search/client";
import { useCallback, useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";
import {
  type CatalogAddress,
  readCatalogAddress,
  toCatalogQuery,
  writeAttributeFilter,
  writeCatalogAddress,
} from "./catalog-address.ts";
import { foldName, readShownCategories } from "./category-tree.ts";

export type ChangeSearch = (change: Partial<CatalogAddress>) => void;

/** The search that the page's URL describes. Each change is a step that Back undoes, and starts at page 1. */
export function useCatalogAddress(): [CatalogAddress, ChangeSearch] {
  const search = useSearch();
  const [, navigate] = useLocation();
  const address = useMemo(() => readCatalogAddress(new URLSearchParams(search)), [search]);
  const change = useCallback(
    (changes: Partial<CatalogAddress>) => {
      // From the URL itself: another value may just have been set, and not been rendered yet.
      const current = readCatalogAddress(new URLSearchParams(location.search));
      navigate(writeCatalogAddress({ ...current, page: 1, ...changes }));
    },
    [navigate],
  );
  return [address, change];
}

interface CatalogValues {
  brands: readonly FacetValue[];
  categories: readonly FacetValue[];
  /** As filters: `color:Black`. */
  attributes: readonly FacetValue[];
}

/** The largest brands, categories and values of attributes of the catalog, most products first: to choose from, and to make examples of. */
export function useCatalogValues(): CatalogValues {
  const { client, token } = useService();
  // A search for products of any rating is one for all of them.
  const request = useRequest(token || undefined, (signal) =>
    client.searchCatalog(
      { minRating: 0, count: 1, facets: ["brands", "categories", "attributes"] },
      { signal },
    ),
  );
  const { brands = [], categories = [], attributes = {} } = request.response?.facets ?? {};
  return {
    brands,
    categories,
    attributes: Object.entries(attributes).flatMap(([name, values]) =>
      values.map(({ value, count }) => ({ value: writeAttributeFilter(name, value), count })),
    ),
  };
}

/** As many as a search may name. */
const maxNames = 20;

/** The least and the greatest number that the matches have of those attributes that are numbers in the whole catalog. */
export function useAttributeRanges(
  address: CatalogAddress,
  attributes: readonly string[],
): NonNullable<CatalogFacets["attributeRanges"]> {
  const { client, token } = useService();
  const names = attributes.toSorted().slice(0, maxNames);
  const facets = names.map((name) => `attributes.${name}` as const);
  // Insights count first pages alone: this is nobody's search.
  const query = { ...toCatalogQuery({ ...address, sort: "", order: "", page: 2 }), count: 1, facets };
  const request = useRequest(names.length > 0 ? JSON.stringify([token, query]) : undefined, (signal) =>
    client.searchCatalog(query, { signal }),
  );
  return request.response?.facets?.attributeRanges ?? {};
}

const maxExamples = 5;

/** Searches that find something in this catalog: what the service suggests for its largest categories, or other names. */
export function useExampleQueries(topics: readonly string[]): readonly string[] {
  const { client, token } = useService();
  const names = topics.slice(0, maxExamples);
  const request = useRequest(names.length > 0 ? JSON.stringify([token, names]) : undefined, (signal) =>
    Promise.all(
      names.map(async (name) => {
        const { queries } = await client.suggest({ q: [...name].slice(0, 100).join("") }, { signal });
        return exampleOf(queries) ?? name.toLowerCase();
      }),
    ),
  );
  return [...new Set(request.response ?? [])];
}

/** Two or three words say more than one. */
function exampleOf(queries: readonly string[]): string | undefined {
  return queries.find((query) => /^\S+ \S+(?: \S+)?$/.test(query)) ?? queries[0];
}

const pauseMs = 80;
const maxLength = 100;

/** One line of the list below the search field. */
export type Suggestion =
  | { kind: "query"; text: string }
  | { kind: "brand"; text: string }
  | { kind: "category"; text: string }
  | { kind: "product"; text: string; product: SuggestionsResponse["Products"][number] };

/** What the typed text may become. None while it is empty, and none when the service fails: one can search all the same. */
export function useSuggestions(text: string, isWanted: boolean): readonly Suggestion[] {
  const { client } = useService();
  const isAsked = isWanted && text.trim() !== "" && [...text].length <= maxLength;
  const request = useRequest(
    isAsked ? text : undefined,
    (signal) => client.suggest({ q: text }, { signal }),
    pauseMs,
  );
  return isAsked && request.response ? toSuggestions(request.response) : [];
}

function toSuggestions({ queries, brands, categories, Products }: SuggestionsResponse): Suggestion[] {
  return [
    ...queries.map((query) => ({ kind: "query", text: query }) as const),
    ...categories.map((text) => ({ kind: "category", text }) as const),
    ...brands.map(({ name }) => ({ kind: "brand", text: name }) as const),
    ...Products.map((product) => ({ kind: "product", text: product.name, product }) as const),
  ];
}

const maxCategories = 12;

/** Enough of the best products that most of the large categories have one among them. */
const maxProducts = 60;

/** Products with images come first as a rule: they have the higher score. */
const maxLookedAt = 5;

/** One of the largest categories, and a product that shows what it is. */
export interface CategorySample {
  category: string;
  count: number;
  product: Product | undefined;
}

export interface CategorySamples {
  /** The largest categories of the catalog; undefined while they are read, and without a token. */
  samples: readonly CategorySample[] | undefined;
  /** Names to make examples of: the categories, or brands or products where no category has a name. */
  topics: readonly string[];
  error: unknown;
  retry: () => void;
}

/** Read while they are wanted: where nothing was asked for yet. */
export function useCategorySamples(isWanted: boolean): CategorySamples {
  const { client, token } = useService();
  const request = useRequest(isWanted && token !== "" ? token : undefined, (signal) =>
    readSamples(client, signal),
  );
  return {
    samples: request.response?.samples,
    topics: request.response?.topics ?? [],
    error: request.phase === "failed" ? request.error : undefined,
    retry: request.retry,
  };
}

async function readSamples(client: Client, signal: AbortSignal) {
  const grouped = true;
  const facets = ["categories", "brands"] as const;
  // A search for products of any rating is one for all of them.
  const response = await client.searchCatalog(
    { minRating: 0, count: maxProducts, grouped, facets },
    { signal },
  );
  const { Products } = response;
  const { categories = [], brands = [] } = response.facets ?? {};
  const options = { categories, maxCount: maxCategories, grouped, signal };
  const shown = await readShownCategories(client, options);
  const samples = await Promise.all(
    shown.map(async ({ value, count }): Promise<CategorySample> => {
      const isOfIt = ({ category, images }: Product) =>
        category !== undefined && foldName(category) === foldName(value) && images.length > 0;
      const product = Products.find(isOfIt) ?? (await findSample(client, value, signal));
      return { category: value, count, product };
    }),
  );
  const names = [shown, brands].find((values) => values.length > 0)?.map(({ value }) => value);
  return { samples, topics: names ?? Products.map(({ name }) => name) };
}

/** The best product with an image of a category that none of the best products is in. A tile can do without. */
async function findSample(
  client: Client,
  category: string,
  signal: AbortSignal,
): Promise<Product | undefined> {
  const query = { categories: [category], count: maxLookedAt, grouped: true };
  try {
    const { Products } = await client.searchCatalog(query, { signal });
    return Products.find(({ images }) => images.length > 0);
  } catch {
    return undefined;
  }
}

/** The field that `/` and ⌘K go to. */
export const catalogFieldId = "catalog-search";
