import type { Availability } from "../availability.ts";

/** The constraints of a text in plain words on products. */
export interface Constraints {
  /** Both bounds are inclusive; never relaxed. */
  minPriceMinor?: number;
  maxPriceMinor?: number;
  minRating?: number;
  minDiscount?: number;
  availability?: readonly Availability[];
  brands?: readonly string[];
  stores?: readonly string[];
  categories?: readonly string[];
  /** A product must have one colour of each group; a group has spellings and alternatives. */
  colours?: readonly (readonly string[])[];
  /** Each must hold: size 42. */
  attributes?: readonly { name: string; values: readonly string[] }[];
  /** Products with any of these words are excluded; never relaxed. */
  without?: readonly string[];
}

/** True if no price can be within the bounds. */
export function isContradictory({ minPriceMinor, maxPriceMinor }: Constraints): boolean {
  return minPriceMinor !== undefined && maxPriceMinor !== undefined && minPriceMinor > maxPriceMinor;
}
