import type { PriceEntry } from "@product-search/core/domain/product.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** The period of the average, and the minimum age of a product for which the average means something. */
const windowDays = 90;
const minDays = 14;
const clearPercent = 5;

/**
 * How many percent the current price is below its average of the last 90 days, weighted by how long each price was in
 * effect; undefined if the difference is small or the history is short.
 */
export function belowAveragePercent(history: readonly PriceEntry[], nowMs: number): number | undefined {
  const from = nowMs - windowDays * dayMs;
  let weighted = 0;
  let total = 0;
  for (const [index, { priceMinor, atMs }] of history.entries()) {
    const start = Math.max(atMs, from);
    const end = Math.min(history[index + 1]?.atMs ?? nowMs, nowMs);
    if (end <= start) continue;
    weighted += priceMinor * (end - start);
    total += end - start;
  }
  const present = history.at(-1)?.priceMinor;
  if (present === undefined || total < minDays * dayMs) return undefined;
  // Prices and times are whole numbers, so this is exact: 20 % stays 20, and nothing is rounded up.
  const percent = Math.floor((100 * (weighted - present * total)) / weighted);
  return percent >= clearPercent ? percent : undefined;
}
