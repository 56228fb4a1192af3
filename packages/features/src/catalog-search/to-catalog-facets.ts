import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { FacetName, TextFacets } from "@product-search/core/ports/text-search.ts";
import type { CatalogFacets } from "@product-search/types";

const greatestRating = 5;

/** The requested facets in the form of the response. */
export function toCatalogFacets(
  facets: TextFacets,
  wanted: readonly FacetName[],
  currency: string,
): CatalogFacets {
  const shown: Required<CatalogFacets> = {
    brands: facets.brands,
    categories: facets.categories,
    stores: facets.stores,
    price: facets.price.map(({ minPriceMinor, maxPriceMinor, count }) => ({
      from: fromMinor(minPriceMinor, currency),
      to: fromMinor(maxPriceMinor, currency),
      count,
    })),
    rating: facets.rating.map(({ minRating, count }) => ({ from: minRating, to: greatestRating, count })),
  };
  return Object.fromEntries(wanted.map((name) => [name, shown[name]]));
}
