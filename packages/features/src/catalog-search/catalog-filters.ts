import { type Availability, availabilities } from "@product-search/core/domain/availability.ts";
import { parsePriceRange } from "@product-search/core/domain/price/price-range.ts";
import type { TextFilters } from "@product-search/core/ports/text-search.ts";
import { readNameList } from "./name-list.ts";

/** The filters of a catalog search, as its parameters. */
export interface CatalogFilters {
  priceRange?: string;
  brands?: string;
  categories?: string;
  stores?: string;
  availability?: string;
  minRating?: number;
  minDiscount?: number;
}

/** The filters in the form of the port; empty if no parameter sets one. */
export function readFilters(
  { priceRange, brands, categories, stores, availability, minRating, minDiscount }: CatalogFilters,
  currency: string,
): TextFilters {
  return {
    ...(priceRange !== undefined && parsePriceRange(priceRange, currency)),
    ...(brands !== undefined && { brands: readNameList("brands", brands) }),
    ...(categories !== undefined && { categories: readNameList("categories", categories) }),
    ...(stores !== undefined && { stores: readNameList("stores", stores) }),
    ...(availability !== undefined && { availability: readAvailability(availability) }),
    ...(minRating !== undefined && { minRating }),
    ...(minDiscount !== undefined && { minDiscount }),
  };
}

/** The spec allows no other values. */
function readAvailability(list: string): Availability[] {
  const wanted = list.split(",");
  return availabilities.filter((word) => wanted.includes(word));
}
