const formats = new Map<string, Intl.NumberFormat>();

/** "$1,299.50": the format of prices in all sentences. */
export function formatPrice(amount: number, currency: string): string {
  return formatOf(currency, "auto").format(amount);
}

/** "$150": a bound in a suggested query, without needless decimals. */
export function formatBound(amount: number, currency: string): string {
  return formatOf(currency, "stripIfInteger").format(amount);
}

function formatOf(currency: string, trailingZeroDisplay: "auto" | "stripIfInteger"): Intl.NumberFormat {
  const key = `${currency} ${trailingZeroDisplay}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat("en", { style: "currency", currency, trailingZeroDisplay });
    formats.set(key, format);
  }
  return format;
}

const counts = new Intl.NumberFormat("en");

export function formatCount(count: number): string {
  return counts.format(count);
}

/** Ratings without needless decimals: 4, 4.5, 4.57. */
export function formatRating(rating: number): string {
  return String(Math.round(rating * 100) / 100);
}
