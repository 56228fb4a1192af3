import type { SearchCatalogOperation } from "@product-search/types";

type Parameters = NonNullable<SearchCatalogOperation["parameters"]["query"]>;

/** At least `q` or one filter; the response to neither is 400. */
export interface CatalogQuery
  extends Omit<Parameters, "priceRange" | "brands" | "categories" | "stores" | "availability" | "facets"> {
  /** Minimum and maximum price, inclusive. */
  priceRange?: readonly [minPrice: number, maxPrice: number];
  brands?: readonly string[];
  categories?: readonly string[];
  stores?: readonly string[];
  availability?: readonly ("in_stock" | "out_of_stock" | "preorder" | "backorder")[];
  /** What is counted over all matches. */
  facets?: readonly ("brands" | "categories" | "stores" | "price" | "rating")[];
}

/** The query as the service takes it: lists separated by commas. An empty list is no filter. */
export function catalogParameters({
  priceRange,
  brands,
  categories,
  stores,
  availability,
  facets,
  ...others
}: CatalogQuery): Parameters {
  return {
    ...others,
    ...(priceRange && { priceRange: `[${priceRange[0]},${priceRange[1]}]` }),
    ...(brands?.length && { brands: nameList(brands) }),
    ...(categories?.length && { categories: nameList(categories) }),
    ...(stores?.length && { stores: nameList(stores) }),
    ...(availability?.length && { availability: availability.join() }),
    ...(facets?.length && { facets: facets.join() }),
  };
}

function nameList(names: readonly string[]): string {
  return names.map((name) => name.replace(/[\\,]/g, "\\$&")).join();
}
