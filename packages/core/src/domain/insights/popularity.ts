import type { ProductEvents } from "../../ports/insight-store.ts";

/** Events of so many days count. */
export const popularityDays = 30;

/** A purchase says more than an addition to the cart, and that more than a click. */
const weights = { clicks: 1, carts: 3, purchases: 10 };
/** With fewer, a product is hardly more popular than one without events. */
const smoothing = 5;
const levelsPerDoubling = 16;
const most = 1000;

/**
 * A whole number from 0, without events, to 1000. It grows with the logarithm: a popular product changes its number, and so
 * has to be indexed again, only when its events change by some percent.
 */
export function popularityOf({
  clicks,
  carts,
  purchases,
}: Pick<ProductEvents, "clicks" | "carts" | "purchases">): number {
  const events = clicks * weights.clicks + carts * weights.carts + purchases * weights.purchases;
  return Math.min(most, Math.floor(levelsPerDoubling * Math.log2(1 + events / smoothing)));
}
