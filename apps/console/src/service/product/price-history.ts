/** A price and when it took effect; it holds until the next one. */
export interface PricePoint {
  atMs: number;
  price: number;
}

const dayMs = 86_400_000;

export function toPricePoints(history: readonly { price: number; date: string }[]): PricePoint[] {
  return history
    .map(({ price, date }) => ({ price, atMs: Date.parse(date) }))
    .toSorted((one, other) => one.atMs - other.atMs);
}

/** The prices in effect from a time on, the first of them at that time at the earliest. */
export function pricesSince(points: readonly PricePoint[], fromMs: number): PricePoint[] {
  const later = points.filter(({ atMs }) => atMs > fromMs);
  const before = points.findLast(({ atMs }) => atMs <= fromMs);
  return before ? [{ ...before, atMs: fromMs }, ...later] : later;
}

/** The lowest price of the 30 days before the present one took effect: what a discount is measured against. */
export function lowestBefore(points: readonly PricePoint[]): number | undefined {
  const present = points.at(-1);
  if (!present) return undefined;
  const before = pricesSince(points.slice(0, -1), present.atMs - 30 * dayMs);
  return before.length === 0 ? undefined : Math.min(...before.map(({ price }) => price));
}

/** The price in effect at a time. */
export function priceAt(points: readonly PricePoint[], atMs: number): PricePoint | undefined {
  return points.findLast((point) => point.atMs <= atMs) ?? points[0];
}

const ranges = [
  ["30 days", 30 * dayMs],
  ["90 days", 90 * dayMs],
  ["1 year", 365 * dayMs],
] as const;

/** The ranges that show less than the whole history, and the whole. */
export function timeRanges(historyMs: number): readonly (readonly [name: string, lengthMs: number])[] {
  return [...ranges.filter(([, lengthMs]) => lengthMs < historyMs), ["All", Number.POSITIVE_INFINITY]];
}

/** Round numbers from zero to the highest price, about four of them: heights can be compared. */
export function priceTicks(points: readonly PricePoint[]): number[] {
  const high = Math.max(0, ...points.map(({ price }) => price));
  if (high === 0) return [0, 1];
  const step = roundStep(high / 3);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last + 1 }, (_, index) => Number((index * step).toFixed(6)));
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10;
  return factor * power;
}
