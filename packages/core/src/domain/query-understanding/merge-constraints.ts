import type { Constraints } from "./constraints.ts";

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
  for (const key of ["brands", "stores", "categories", "without", "colours", "availability"] as const) {
    join(merged, second, key);
  }
  return merged;
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
