/** What was typed into the two price fields: a range to search in, or what is wrong with it. */
type PriceRange =
  | { kind: "none" }
  | { kind: "range"; range: readonly [min: number, max: number] }
  | { kind: "wrong"; fault: string };

const noUpperBound = 1_000_000;

export function readPriceRange(least: string, most: string): PriceRange {
  const [min, max] = [readPrice(least), readPrice(most)];
  if (Number.isNaN(min) || Number.isNaN(max)) {
    return { kind: "wrong", fault: "Enter a number such as 20 or 19.99." };
  }
  if (min === undefined && max === undefined) return { kind: "none" };
  const range = [min ?? 0, max ?? Math.max(noUpperBound, min ?? 0)] as const;
  if (range[0] > range[1])
    return { kind: "wrong", fault: "The lowest price is higher than the highest price." };
  return { kind: "range", range };
}

/** Undefined for an empty field, NaN for what is no price. */
function readPrice(text: string): number | undefined {
  if (text.trim() === "") return undefined;
  const value = Number(text.trim().replace(",", "."));
  return value >= 0 ? value : Number.NaN;
}
