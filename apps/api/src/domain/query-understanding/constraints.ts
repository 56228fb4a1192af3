import type { Availability } from "../availability.ts";

/** What a product must satisfy, as a text in plain words says it. */
export interface Constraints {
  /** Both bounds are included; never relaxed. */
  minPriceMinor?: number;
  maxPriceMinor?: number;
  minRating?: number;
  minDiscount?: number;
  availability?: readonly Availability[];
  brands?: readonly string[];
  stores?: readonly string[];
  categories?: readonly string[];
  /** Of each group one colour must be named; a group holds spellings and alternatives. */
  colours?: readonly (readonly string[])[];
  /** Words that no product may have; never relaxed. */
  without?: readonly string[];
}

/** True when no price can lie within the bounds. */
export function isContradictory({ minPriceMinor, maxPriceMinor }: Constraints): boolean {
  return minPriceMinor !== undefined && maxPriceMinor !== undefined && minPriceMinor > maxPriceMinor;
}
