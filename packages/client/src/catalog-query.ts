import type { CatalogBatchRequest, SearchCatalogOperation } from "@product-search/types";

type Parameters = NonNullable<SearchCatalogOperation["parameters"]["query"]>;

/** At least `q` or one filter; the response to neither is 400. */
export interface CatalogQuery
  extends Omit<
    Parameters,
    | "priceRange"
    | "ranges"
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
  /**
   * By name, the least and the greatest number of an attribute, in the unit that most of its values have, or with one of your own:
   * `{ capacity: [1, 2], weight: [undefined, "2kg"] }`.
   */
  ranges?: Readonly<Record<string, readonly [min: RangeBound | undefined, max: RangeBound | undefined]>>;
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

type RangeBound = number | string;

type PlainParameters = CatalogBatchRequest["searches"][number];

/** The query as a batch takes it: entries of lists as they are. An empty list is no filter. */
export function plainParameters({
  priceRange,
  ranges,
  attributes,
  notAttributes,
  facetQuery,
  brands,
  categories,
  stores,
  notBrands,
  notCategories,
  notStores,
  availability,
  facets,
  include,
  ...others
}: CatalogQuery): PlainParameters {
  const pairs = pairList(attributes);
  const notPairs = pairList(notAttributes);
  return {
    ...others,
    ...(priceRange && { priceRange: `[${priceRange[0]},${priceRange[1]}]` }),
    ...(ranges && Object.keys(ranges).length > 0 && { ranges: rangeList(ranges) }),
    ...(brands?.length && { brands: [...brands] }),
    ...(categories?.length && { categories: [...categories] }),
    ...(stores?.length && { stores: [...stores] }),
    ...(pairs.length > 0 && { attributes: pairs.map(([name, value]) => `${escaped(name)}:${value}`) }),
    ...(notBrands?.length && { notBrands: [...notBrands] }),
    ...(notCategories?.length && { notCategories: [...notCategories] }),
    ...(notStores?.length && { notStores: [...notStores] }),
    ...(notPairs.length > 0 && {
      notAttributes: notPairs.map(([name, value]) => `${escaped(name)}:${value}`),
    }),
    ...(availability?.length && { availability: [...availability] }),
    ...(facets?.length && { facets: [...facets] }),
    ...(facetQuery && { facetQuery: `${escaped(facetQuery.facet)}:${escaped(facetQuery.text)}` }),
    ...(include?.length && { include: [...include] }),
  };
}

/** The query as the service takes it in a URL, where commas divide lists and backslashes escape. */
export function catalogParameters(query: CatalogQuery): Parameters {
  const plain = plainParameters(query);
  const pairs = (attributes: CatalogQuery["attributes"]) =>
    pairList(attributes).map(([name, value]) => `${escaped(name)}:${escaped(value)}`);
  return {
    ...plain,
    ...(plain.brands && { brands: nameList(plain.brands) }),
    ...(plain.categories && { categories: nameList(plain.categories) }),
    ...(plain.stores && { stores: nameList(plain.stores) }),
    ...(plain.notBrands && { notBrands: nameList(plain.notBrands) }),
    ...(plain.notCategories && { notCategories: nameList(plain.notCategories) }),
    ...(plain.notStores && { notStores: nameList(plain.notStores) }),
    ...(plain.attributes && { attributes: pairs(query.attributes) }),
    ...(plain.notAttributes && { notAttributes: pairs(query.notAttributes) }),
    ...(plain.facets && { facets: plain.facets.map(escaped) }),
  };
}

function rangeList(ranges: NonNullable<CatalogQuery["ranges"]>): string {
  return Object.entries(ranges)
    .map(([name, [min = "", max = ""]]) => `${escaped(name)}:[${min},${max}]`)
    .join();
}

function pairList(attributes: CatalogQuery["attributes"] = {}): [name: string, value: string][] {
  return Object.entries(attributes).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
}

function escaped(text: string): string {
  return text.replace(/[\\,:]/g, "\\$&");
}

/** A comma separates names; one inside a name is escaped. */
export function nameList(names: readonly string[]): string[] {
  return names.map((name) => name.replace(/[\\,]/g, "\\$&"));
}
