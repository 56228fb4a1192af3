import type { Random } from "./random.ts";

const dayMs = 24 * 60 * 60 * 1000;
const historyDays = 90;

/** A price in minor units and the time when it took effect, in milliseconds since 1970. */
export interface SamplePrice {
  priceMinor: number;
  atMs: number;
}

export interface SamplePrices {
  priceMinor: number;
  /** The price before a reduction, true or claimed. */
  originalPriceMinor?: number;
  /** Oldest first; the last one is the current price. */
  formerPrices: SamplePrice[];
}

/**
 * Ninety days of prices up to today. The last one is the list price or a reduction. Some sellers claim a former price
 * that was never in effect, so that the quality score can detect it. `changes` is the maximum length of the history.
 */
export function samplePrices(
  random: Random,
  [cheapest = 0, dearest = cheapest]: readonly number[],
  changes: number,
  { currencyDecimals, nowMs }: { currencyDecimals: number; nowMs: number },
): SamplePrices {
  const list = cheapest * (dearest / cheapest) ** random.next();
  const isReduced = random.chance(0.3);
  const claimsWrongly = !isReduced && random.chance(0.15);
  const reduced = () => list * random.between(0.6, 0.92);
  const toMinor = (price: number) => retailPrice(price, currencyDecimals);

  const count = random.integer(0, changes);
  const days = Array.from({ length: count }, () => random.between(1, historyDays - 1)).sort((a, b) => b - a);
  const former = [historyDays, ...days].map((day, index) => ({
    priceMinor: toMinor(index % 2 === 0 ? list : random.chance(0.8) ? reduced() : list * 1.06),
    atMs: Math.round(startOfDay(nowMs) - day * dayMs),
  }));
  const priceMinor = isReduced ? toMinor(reduced()) : toMinor(list);
  const presentSinceMs =
    startOfDay(nowMs) - Math.round(random.between(0.1, 0.9) * (days.at(-1) ?? 30) * dayMs);
  const claimed = isReduced
    ? toMinor(list)
    : claimsWrongly
      ? toMinor(list * random.between(1.25, 1.8))
      : undefined;
  return {
    priceMinor,
    ...(claimed !== undefined && claimed > priceMinor && { originalPriceMinor: claimed }),
    formerPrices: withoutRepeats([...former, { priceMinor, atMs: presentSinceMs }]),
  };
}

/** Ends in .99, .95, .49 or .00, as in shops. In currencies without decimals, prices are a hundred times as high. */
function retailPrice(price: number, currencyDecimals: number): number {
  const whole = Math.floor(price);
  const endings = [99, 95, 49, 0] as const;
  const hundredths = whole * 100 + (endings[whole % 4] ?? 0);
  return hundredths * 10 ** Math.max(0, currencyDecimals - 2);
}

function withoutRepeats(prices: readonly SamplePrice[]): SamplePrice[] {
  return prices.filter((price, index) => price.priceMinor !== prices[index - 1]?.priceMinor);
}

function startOfDay(nowMs: number): number {
  return nowMs - (nowMs % dayMs);
}
