/** Inside the service, prices are integers in minor units. Only input and output have decimals. */

const exponents = new Map<string, number>();

/** The number of decimals of the currency: 2 for USD, 0 for JPY, 3 for KWD (ISO 4217, through Intl). */
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

/** Rounds to the nearest minor unit, halves away from zero; 1.005 becomes 101 in USD, as people expect. */
export function toMinor(decimal: number, currency: string): number {
  const exponent = currencyExponent(currency);
  const text = String(decimal);
  // Numbers that are written with an exponent are so large or small that rounding their cents does not matter.
  return Math.round(text.includes("e") ? decimal * 10 ** exponent : Number(`${text}e${exponent}`));
}
