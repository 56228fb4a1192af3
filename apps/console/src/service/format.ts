/** The deployment's one currency, which the service writes into the page. */
export const currency = document.querySelector<HTMLMetaElement>('meta[name="currency"]')?.content || "USD";
const format = new Intl.NumberFormat(undefined, { style: "currency", currency });
const counts = new Intl.NumberFormat();
const percents = new Intl.NumberFormat(undefined, { style: "percent" });

export function formatPrice(price: number): string {
  return format.format(price);
}

/** One price where both are the same. */
export function formatPriceRange(min: number, max: number): string {
  return min === max ? format.format(min) : format.formatRange(min, max);
}

/** A percentage as people of this locale write it: "13%" in English, "13 %" in German. */
export function formatPercent(percent: number): string {
  return percents.format(percent / 100);
}

/** What was taken off a price, with a minus sign instead of a hyphen. */
export function formatDiscount(percent: number): string {
  return formatPercent(-percent).replace("-", "−");
}

export function formatCount(count: number): string {
  return counts.format(count);
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const shortDay = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const month = new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric" });
const hour = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});
const dayMs = 86_400_000;
const halfYearMs = 183 * dayMs;

export function formatDay(atMs: number): string {
  return day.format(atMs);
}

/** Where a time axis has a text, as a share of its length. */
export interface TimeTick {
  share: number;
  text: string;
}

/**
 * The texts below a time axis: hours of a short time, months of a long one, otherwise days. No text stands there twice: of an
 * axis that is shorter than what its texts tell apart, only the end has one.
 */
export function timeTicks(fromMs: number, toMs: number): TimeTick[] {
  const rangeMs = toMs - fromMs;
  const format = rangeMs > halfYearMs ? month : rangeMs < 4 * dayMs ? hour : shortDay;
  const ticks = [0, 1 / 3, 2 / 3, 1].map((share) => ({
    share,
    text: format.format(fromMs + share * rangeMs),
  }));
  return ticks.filter(({ text }, index) => ticks.findLastIndex((other) => other.text === text) === index);
}
