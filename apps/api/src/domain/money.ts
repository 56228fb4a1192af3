/** Prices are integers in minor units everywhere inside; decimals exist only at the edges. */

const exponents = new Map<string, number>();

/** How many decimals the currency has: 2 for USD, 0 for JPY, 3 for KWD (ISO 4217, through Intl). */
export function currencyExponent(currency: string): number {
  let exponent = exponents.get(currency);
  if (exponent === undefined) {
    exponent =
      new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ??
      2;
    exponents.set(currency, exponent);
  }
  return exponent;
}

export function fromMinor(minor: number, currency: string): number {
  return minor / 10 ** currencyExponent(currency);
}

/** Rounds half away from zero to the nearest minor unit; 1.005 becomes 101 in USD, as a person would expect. */
export function toMinor(decimal: number, currency: string): number {
  const exponent = currencyExponent(currency);
  const text = String(decimal);
  // Numbers so large or small that they are written with an exponent of their own have no cents to lose.
  return Math.round(text.includes("e") ? decimal * 10 ** exponent : Number(`${text}e${exponent}`));
}
