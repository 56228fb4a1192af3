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
