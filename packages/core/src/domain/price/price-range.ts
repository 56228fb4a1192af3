import { ApiError } from "../../errors.ts";
import { currencyExponent } from "./money.ts";

export interface PriceBounds {
  minPriceMinor: number;
  maxPriceMinor: number;
}

const form = /^([[(]?)(\d{1,12}(?:\.\d{1,4})?),(\d{1,12}(?:\.\d{1,4})?)([\])]?)$/;

/**
 * Parses `[min,max]` (brackets optional) into minor units. A round bracket leaves its bound out. A bound between two minor units
 * is moved inwards: "at least 10.004" does not include 10.00.
 */
export function parsePriceRange(text: string, currency: string): PriceBounds {
  const [, opening, min, max, closing] = form.exec(text) ?? [];
  if (min === undefined || max === undefined || (opening === "") !== (closing === "")) {
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
  const [least, most] = [Number(`${min}e${exponent}`), Number(`${max}e${exponent}`)];
  return {
    minPriceMinor: opening === "(" ? Math.floor(least) + 1 : Math.ceil(least),
    maxPriceMinor: closing === ")" ? Math.ceil(most) - 1 : Math.floor(most),
  };
}
