import type { MeasureRange } from "../../ports/text-search.ts";
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
  /** Bounds in a unit, each for every attribute that has it. */
  measures?: readonly MeasureRange[];
  /** Products with any of these words are excluded; never relaxed. */
  without?: readonly string[];
}

/** True if no price can be within the bounds. */
export function isContradictory({ minPriceMinor, maxPriceMinor }: Constraints): boolean {
  return minPriceMinor !== undefined && maxPriceMinor !== undefined && minPriceMinor > maxPriceMinor;
}

/**
 * Combines two sets of constraints that must both be met: the narrower bound is used, lists of alternatives are
 * joined, colours add up.
 */
export function mergeConstraints(first: Constraints, second: Constraints): Constraints {
  const merged: Constraints = { ...first };
  narrow(merged, second, "maxPriceMinor", Math.min);
  narrow(merged, second, "minPriceMinor", Math.max);
  narrow(merged, second, "minRating", Math.max);
  narrow(merged, second, "minDiscount", Math.max);
  if (second.measures !== undefined)
    merged.measures = second.measures.reduce(withMeasure, merged.measures ?? []);
  for (const key of ["brands", "stores", "categories", "without", "colours", "availability"] as const) {
    join(merged, second, key);
  }
  return merged;
}

/** "Over 20 cm and under 50 cm" is one range. */
function withMeasure(measures: readonly MeasureRange[], { unit, min, max }: MeasureRange): MeasureRange[] {
  const former = measures.find((one) => one.unit === unit);
  const least = Math.max(former?.min ?? Number.NEGATIVE_INFINITY, min ?? Number.NEGATIVE_INFINITY);
  const most = Math.min(former?.max ?? Number.POSITIVE_INFINITY, max ?? Number.POSITIVE_INFINITY);
  return [
    ...measures.filter((one) => one !== former),
    {
      unit,
      ...(Number.isFinite(least) && { min: least }),
      ...(Number.isFinite(most) && { max: most }),
    },
  ];
}

type Bound = "maxPriceMinor" | "minPriceMinor" | "minRating" | "minDiscount";

function narrow(
  merged: Constraints,
  other: Constraints,
  key: Bound,
  choose: (a: number, b: number) => number,
): void {
  const value = other[key];
  if (value !== undefined) merged[key] = choose(merged[key] ?? value, value);
}

function join<Key extends "brands" | "stores" | "categories" | "without" | "colours" | "availability">(
  merged: Pick<Constraints, Key>,
  other: Pick<Constraints, Key>,
  key: Key,
): void {
  const values = other[key];
  if (values === undefined) return;
  const known = merged[key] ?? [];
  const unique = new Map([...known, ...values].map((value) => [String(value), value]));
  Object.assign(merged, { [key]: [...unique.values()] });
}
