import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { FiltersInText } from "@product-search/core/domain/query-understanding/read-filters.ts";
import type { TextFilters } from "@product-search/core/ports/text-search.ts";
import type { CatalogSearchResponse } from "@product-search/types";

/** The filters in the text, except those for which there is a parameter: parameters take precedence. */
export function outrank(
  { minPriceMinor, maxPriceMinor, ...others }: FiltersInText,
  asked: TextFilters,
): FiltersInText {
  const hasPriceRange = asked.minPriceMinor !== undefined;
  const { minRating, ...rest } = others;
  return {
    ...rest,
    ...(minRating !== undefined && asked.minRating === undefined && { minRating }),
    ...(minPriceMinor !== undefined && !hasPriceRange && { minPriceMinor }),
    ...(maxPriceMinor !== undefined && !hasPriceRange && { maxPriceMinor }),
  };
}

/** The same in the form of the response; nothing if there are none. */
export function understood(
  { minPriceMinor, maxPriceMinor, minRating, withoutWords }: FiltersInText,
  currency: string,
): Pick<CatalogSearchResponse, "understood"> {
  const hasPrice = (minPriceMinor ?? maxPriceMinor) !== undefined;
  const priceRange = {
    ...(minPriceMinor !== undefined && { minPrice: fromMinor(minPriceMinor, currency) }),
    ...(maxPriceMinor !== undefined && { maxPrice: fromMinor(maxPriceMinor, currency) }),
  };
  const filters = {
    ...(hasPrice && { priceRange }),
    ...(minRating !== undefined && { minRating }),
    ...(withoutWords !== undefined && { without: [...withoutWords] }),
  };
  return Object.keys(filters).length === 0 ? {} : { understood: filters };
}
