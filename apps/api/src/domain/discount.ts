import type { PricePoint } from "./product.ts";

/** The look-back of Art. 6a: the "prior price" is the lowest of at least this long before the reduction. */
export const priorPriceWindowMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Percent off against the lowest price in effect during the 30 days before the present price took effect
 * (Directive 98/6/EC, Art. 6a), rounded to one decimal; 0 when it is no reduction or nothing was there before.
 *
 * `earlier` are the prices before the present one, oldest first. Each was in effect until the next took over,
 * so the last one from before the window still counts.
 */
export function discountPercent(present: PricePoint, earlier: readonly PricePoint[]): number {
  const windowStartMs = present.atMs - priorPriceWindowMs;
  let lowest = Number.POSITIVE_INFINITY;
  for (const [index, price] of earlier.entries()) {
    const endedAtMs = earlier[index + 1]?.atMs ?? present.atMs;
    // Replaced within the same millisecond, a price was never in effect; one that ended as the window began was not in it.
    if (endedAtMs > price.atMs && endedAtMs > windowStartMs) lowest = Math.min(lowest, price.priceMinor);
  }
  return Number.isFinite(lowest) ? percentOff(lowest, present.priceMinor) : 0;
}

/** How much lower `toMinor` is than `fromMinor`, in percent with one decimal; 0 when it is not lower. */
export function percentOff(fromMinor: number, toMinor: number): number {
  return fromMinor > toMinor ? Math.round((1000 * (fromMinor - toMinor)) / fromMinor) / 10 : 0;
}
