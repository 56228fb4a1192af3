import type { SearchCatalogOperation } from "@product-search/types";

type Parameters = NonNullable<SearchCatalogOperation["parameters"]["query"]>;

/** At least `q` or one filter; the response to neither is 400. */
export interface CatalogQuery
  extends Omit<
    Parameters,
    | "priceRange"
    | "brands"
    | "categories"
    | "stores"
    | "attributes"
    | "notBrands"
    | "notCategories"
    | "notStores"
    | "notAttributes"
    | "availability"
    | "facets"
    | "facetQuery"
    | "include"
  > {
  /** Minimum and maximum price, inclusive. */
  priceRange?: readonly [minPrice: number, maxPrice: number];
  brands?: readonly string[];
  /** Names at any level, or paths such as `Home > Sofas` with everything below them. */
  categories?: readonly string[];
  stores?: readonly string[];
  availability?: readonly ("in_stock" | "out_of_stock" | "preorder" | "backorder")[];
  /** By name, the values of which a product must have one: `{ color: ["Black", "Navy"], size: ["M"] }`. */
  attributes?: Readonly<Record<string, readonly string[]>>;
  /** Products with any of these are excluded. */
  notBrands?: readonly string[];
  notCategories?: readonly string[];
  notStores?: readonly string[];
  notAttributes?: Readonly<Record<string, readonly string[]>>;
  /** What is counted over all matches. `attributes.color` counts one attribute. */
  facets?: readonly CatalogFacet[];
  /** Of one facet, only values in which a word begins with the text. The facet must be in `facets` too. */
  facetQuery?: { facet: CatalogFacet; text: string };
  include?: readonly ("custom" | "description" | "highlights" | "variants")[];
}

export type CatalogFacet =
  | "brands"
  | "categories"
  | "stores"
  | "price"
  | "rating"
  | "availability"
  | "onSale"
  | "categoryPaths"
  | "attributes"
  | `attributes.${string}`;

/** The query as the service takes it, with escapes: a comma separates the entries of a list. An empty list is no filter. */
export function catalogParameters({
  priceRange,
  brands,
  categories,
  stores,
  attributes,
  notBrands,
  notCategories,
  notStores,
  notAttributes,
  availability,
  facets,
  facetQuery,
  include,
  ...others
}: CatalogQuery): Parameters {
  const pairs = pairList(attributes);
  const notPairs = pairList(notAttributes);
  return {
    ...others,
    ...(priceRange && { priceRange: `[${priceRange[0]},${priceRange[1]}]` }),
    ...(brands?.length && { brands: nameList(brands) }),
    ...(categories?.length && { categories: nameList(categories) }),
    ...(stores?.length && { stores: nameList(stores) }),
    ...(availability?.length && { availability: [...availability] }),
    ...(facets?.length && { facets: facets.map(escaped) }),
    ...(pairs.length > 0 && { attributes: pairs }),
    ...(notBrands?.length && { notBrands: nameList(notBrands) }),
    ...(notCategories?.length && { notCategories: nameList(notCategories) }),
    ...(notStores?.length && { notStores: nameList(notStores) }),
    ...(notPairs.length > 0 && { notAttributes: notPairs }),
    ...(facetQuery && { facetQuery: `${escaped(facetQuery.facet)}:${escaped(facetQuery.text)}` }),
    ...(include?.length && { include: [...include] }),
  };
}

function pairList(attributes: CatalogQuery["attributes"] = {}): string[] {
  return Object.entries(attributes).flatMap(([name, values]) =>
    values.map((value) => `${escaped(name)}:${escaped(value)}`),
  );
}

function escaped(text: string): string {
  return text.replace(/[\\,:]/g, "\\$&");
}

/** A comma separates names; one inside a name is escaped. */
export function nameList(names: readonly string[]): string[] {
  return names.map((name) => name.replace(/[\\,]/g, "\\$&"));
}
