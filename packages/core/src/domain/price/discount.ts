import type { PricePoint } from "../product.ts";

/** The period of Art. 6a: the "prior price" is the lowest one of at least this long before the reduction. */
export const priorPriceWindowMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Discount in percent against the lowest price in effect during the 30 days before the current price took effect (Directive
 * 98/6/EC, Art. 6a), rounded to one decimal; 0 if it is no reduction or there was no earlier price.
 *
 * `earlier` are the prices before the current one, oldest first. Each was in effect until the next one, so the last price
 * from before the period still counts.
 */
export function discountPercent(present: PricePoint, earlier: readonly PricePoint[]): number {
  const windowStartMs = present.atMs - priorPriceWindowMs;
  let lowest = Number.POSITIVE_INFINITY;
  for (const [index, price] of earlier.entries()) {
    const endedAtMs = earlier[index + 1]?.atMs ?? present.atMs;
    // A price replaced within the same millisecond was never in effect. One that ended at the start of the period is
    // not in it.
    if (endedAtMs > price.atMs && endedAtMs > windowStartMs) lowest = Math.min(lowest, price.priceMinor);
  }
  return Number.isFinite(lowest) ? percentOff(lowest, present.priceMinor) : 0;
}

/** How much lower `toMinor` is than `fromMinor`, in percent with one decimal; 0 if it is not lower. */
export function percentOff(fromMinor: number, toMinor: number): number {
  return fromMinor > toMinor ? Math.round((1000 * (fromMinor - toMinor)) / fromMinor) / 10 : 0;
}
