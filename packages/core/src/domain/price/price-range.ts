import { ApiError } from "../../errors.ts";
import { currencyExponent } from "./money.ts";

export interface PriceBounds {
  minPriceMinor: number;
  maxPriceMinor: number;
}

const form = /^\[?(\d{1,12}(?:\.\d{1,4})?),(\d{1,12}(?:\.\d{1,4})?)\]?$/;

/**
 * Parses `[min,max]` (brackets optional) into minor units. A bound between two minor units is moved inwards: "at
 * least 10.004" does not include 10.00.
 */
export function parsePriceRange(text: string, currency: string): PriceBounds {
  const [, min, max] = form.exec(text) ?? [];
  if (min === undefined || max === undefined || text.startsWith("[") !== text.endsWith("]")) {
    throw new ApiError(
      "invalid_request",
      "priceRange: is not a range of prices. Write [minPrice,maxPrice], such as [100,500].",
    );
  }
  if (Number(min) > Number(max)) {
    throw new ApiError(
      "invalid_request",
      `priceRange: the least price ${min} is above the greatest price ${max}. Write the smaller one first: [${max},${min}].`,
    );
  }
  const exponent = currencyExponent(currency);
  return {
    minPriceMinor: Math.ceil(Number(`${min}e${exponent}`)),
    maxPriceMinor: Math.floor(Number(`${max}e${exponent}`)),
  };
}
