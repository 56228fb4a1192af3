import type { Availability } from "@product-search/core/domain/availability.ts";
import { readNameList } from "@product-search/core/domain/name-list.ts";
import { parsePriceRange } from "@product-search/core/domain/price/price-range.ts";
import type { TextFilters } from "@product-search/core/ports/text-search.ts";
import { readAttributes } from "./read-query.ts";

/** The filters of a catalog search, as its parameters. In entries of lists a backslash escapes. */
export interface CatalogFilters {
  priceRange?: string;
  brands?: readonly string[];
  categories?: readonly string[];
  stores?: readonly string[];
  attributes?: readonly string[];
  availability?: readonly Availability[];
  minRating?: number;
  minDiscount?: number;
  onSale?: boolean;
  notBrands?: readonly string[];
  notCategories?: readonly string[];
  notStores?: readonly string[];
  notAttributes?: readonly string[];
}

type Reader = (parameters: CatalogFilters, currency: string) => TextFilters | false | undefined;

/** Each parameter in the form of the port. A filter is a line here, one in each engine, and a parameter of the spec. */
const readers: Readonly<Record<keyof CatalogFilters, Reader>> = {
  priceRange: ({ priceRange }, currency) => priceRange !== undefined && parsePriceRange(priceRange, currency),
  brands: ({ brands }) => brands && { brands: readNameList("brands", brands) },
  categories: ({ categories }) => categories && { categories: readNameList("categories", categories) },
  stores: ({ stores }) => stores && { stores: readNameList("stores", stores) },
  attributes: ({ attributes }) => attributes && { attributes: readAttributes("attributes", attributes) },
  availability: ({ availability }) => availability && { availability },
  minRating: ({ minRating }) => minRating !== undefined && { minRating },
  minDiscount: ({ minDiscount }) => minDiscount !== undefined && { minDiscount },
  onSale: ({ onSale }) => onSale && { onSale },
  notBrands: ({ notBrands }) => notBrands && { notBrands: readNameList("notBrands", notBrands) },
  notCategories: ({ notCategories }) =>
    notCategories && { notCategories: readNameList("notCategories", notCategories) },
  notStores: ({ notStores }) => notStores && { notStores: readNameList("notStores", notStores) },
  notAttributes: ({ notAttributes }) =>
    notAttributes && { notAttributes: readAttributes("notAttributes", notAttributes) },
};

export const catalogFilterNames = Object.keys(readers);

/** Empty if no parameter sets a filter. */
export function toTextFilters(parameters: CatalogFilters, currency: string): TextFilters {
  const filters: TextFilters = {};
  for (const read of Object.values(readers)) Object.assign(filters, read(parameters, currency));
  return filters;
}
