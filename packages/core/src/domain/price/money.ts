import { ApiError } from "../../errors.ts";
import type { PricePoint } from "../product.ts";

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

/** Digits with any of the usual separators of thousands and decimals. */
const numeral = /\d+(?:[ \u00a0\u202f'’]\d{3}(?!\d))*(?:[.,]\d+)*/;
const maxDecimal = 1e12;

/**
 * The price in minor units of a marketplace's number or text: `12.5`, `$1,299.00`, `1.299,00 €`. Of a range such as
 * `$10.00 to $20.00`, the lower bound. Undefined if it is not a price: negative, not finite, or absurdly high.
 */
export function parsePriceMinor(value: unknown, currency: string): number | undefined {
  const decimal =
    typeof value === "number" ? value : typeof value === "string" ? parseDecimal(value) : Number.NaN;
  if (!(decimal >= 0 && decimal <= maxDecimal)) return undefined;
  // As text, a very small number would have an exponent, which toMinor does not read.
  return toMinor(decimal < 1e-6 ? 0 : decimal, currency);
}

function parseDecimal(text: string): number {
  const match = numeral.exec(text.slice(0, 200));
  if (!match || /[-−–]\s*\p{Sc}?\s*$/u.test(text.slice(0, match.index))) return Number.NaN;
  const [digits] = match;
  const decimalAt = decimalSeparatorAt(digits);
  if (decimalAt === -1) return Number(digits.replace(/\D/g, ""));
  return Number(`${digits.slice(0, decimalAt).replace(/\D/g, "")}.${digits.slice(decimalAt + 1)}`);
}

/**
 * Where the decimals begin: at the last point or comma, unless it occurs earlier as well (`1.299.000`) or is a comma
 * before exactly three digits (`1,299`).
 */
function decimalSeparatorAt(digits: string): number {
  const at = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  if (at === -1) return -1;
  const separator = digits.charAt(at);
  const isRepeated = digits.indexOf(separator) !== at;
  const isThousands = separator === "," && digits.length - at - 1 === 3 && !digits.includes(".");
  return isRepeated || isThousands ? -1 : at;
}

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
function percentOff(fromMinor: number, toMinor: number): number {
  return fromMinor > toMinor ? Math.round((1000 * (fromMinor - toMinor)) / fromMinor) / 10 : 0;
}

export interface PriceBounds {
  minPriceMinor: number;
  maxPriceMinor: number;
}

const form = /^([[(]?)(\d{1,12}(?:\.\d{1,4})?),(\d{1,12}(?:\.\d{1,4})?)([\])]?)$/;

/**
 * Parses `[min,max]` (brackets optional) into minor units. A round bracket leaves its bound out. A bound between two minor units
 * is moved inwards: "at least 10.004" does not include 10.00.
 */
export function parsePriceRange(text: string, currency: string): PriceBounds {
  const [, opening, min, max, closing] = form.exec(text) ?? [];
  if (min === undefined || max === undefined || (opening === "") !== (closing === "")) {
    throw new ApiError(
      "invalid_request",
      "priceRange: is not a range of prices. Write [minPrice,maxPrice], such as [100,500].",
    );
  }
  if (Number(min) > Number(max)) {
    throw new ApiError(
      "invalid_request",
      `priceRange: the least price ${min} is above the greatest price ${max}. Write the smaller one first: [${max},${min}].`,
    );
  }
  const exponent = currencyExponent(currency);
  const [least, most] = [Number(`${min}e${exponent}`), Number(`${max}e${exponent}`)];
  return {
    minPriceMinor: opening === "(" ? Math.floor(least) + 1 : Math.ceil(least),
    maxPriceMinor: closing === ")" ? Math.ceil(most) - 1 : Math.floor(most),
  };
}

/** A price in minor units, or why the text is not one. */
export type ParsedPrice = { minor: number } | { fault: string };

/** Higher prices are typing errors. */
const maxPrice = 1_000_000_000;
const maxTextLength = 40;

/**
 * A price in a feed: `19.99 USD`, `19,99 EUR`, `USD 1,299.00`, `1.299,00 €`, or a plain number. A shop can correct
 * its feed, so this is stricter than reading a live marketplace: an ambiguous amount is refused, and so is every
 * currency other than the deployment's.
 */
export function parseFeedPrice(value: string | number, currency: string): ParsedPrice {
  if (typeof value === "number") return checked(value, currency);
  const text = value.trim();
  if (text.length > maxTextLength) return { fault: "is too long for a price" };
  const { amount, unit } = splitUnit(text);
  if (amount === undefined) return { fault: `"${text}" is not a price; write it as 19.99 ${currency}` };
  if (unit !== "" && !namesCurrency(unit, currency)) {
    return { fault: `"${text}" is not in ${currency}, the CURRENCY of this deployment` };
  }
  const decimal = toDecimal(amount, currencyExponent(currency));
  if (decimal === undefined) {
    return { fault: `"${text}" could mean more than one amount; write it as 1299.00 ${currency}` };
  }
  return checked(Number(decimal), currency);
}

function checked(price: number, currency: string): ParsedPrice {
  if (!Number.isFinite(price)) return { fault: "is not a finite number" };
  if (price < 0) return { fault: "is negative" };
  if (price > maxPrice) return { fault: `is over ${maxPrice}` };
  const minor = toMinor(price, currency);
  if (price > 0 && minor === 0)
    return { fault: `is above 0, and less than the smallest amount of ${currency}` };
  return { minor };
}

/** The number with its separators, and the text before or after it. */
function splitUnit(text: string): { amount?: string; unit: string } {
  const [, before = "", sign = "", amount, after = ""] =
    /^([^\d\s.,+-]*)\s*([+-]?)\s*(\d[\d.,'’\s\u00a0\u202f]*|[.,]\d+)([^\d.,'’]*)$/u.exec(text) ?? [];
  if (amount === undefined || (before.trim() !== "" && after.trim() !== "")) return { unit: "" };
  return { amount: sign === "-" ? `-${amount.trim()}` : amount.trim(), unit: (before || after).trim() };
}

function namesCurrency(unit: string, currency: string): boolean {
  return (
    unit.toUpperCase() === currency ||
    unit === symbolOf(currency, "narrowSymbol") ||
    unit === symbolOf(currency, "symbol")
  );
}

const symbols = new Map<string, string>();

function symbolOf(currency: string, display: "symbol" | "narrowSymbol"): string {
  const known = symbols.get(display + currency);
  if (known !== undefined) return known;
  const parts = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
    currencyDisplay: display,
  }).formatToParts(0);
  const symbol = parts.find((part) => part.type === "currency")?.value ?? currency;
  symbols.set(display + currency, symbol);
  return symbol;
}

/** The number with a dot and without grouping; undefined if the separators are ambiguous or invalid. */
function toDecimal(amount: string, exponent: number): string | undefined {
  const compact = amount.replace(/['’\s\u00a0\u202f](?=\d{3}(?!\d))/gu, "");
  const separators = compact.match(/[.,]/g) ?? [];
  if (/[^\d.,-]/.test(compact)) return undefined;
  const last = separators.at(-1);
  if (last === undefined) return compact;
  const [whole = "", decimals = ""] = splitAtLast(compact, last);
  const others = separators.slice(0, -1);
  if (others.includes(last))
    return others.every((one) => one === last) ? ungrouped(compact, last) : undefined;
  if (others.length > 0) {
    const plain = ungrouped(whole, others[0] ?? "");
    return plain !== undefined && fits(decimals, exponent) ? `${plain}.${decimals}` : undefined;
  }
  // A single separator before three digits groups thousands if the currency has fewer decimals and English uses it so.
  if (
    decimals.length === 3 &&
    exponent !== 3 &&
    whole.replace("-", "").length <= 3 &&
    !/^-?0*$/.test(whole)
  ) {
    return last === "," || exponent === 0 ? whole + decimals : undefined;
  }
  if (decimals.length === 3 && exponent === 3 && last === ",") return undefined;
  return fits(decimals, exponent)
    ? `${whole === "" || whole === "-" ? `${whole}0` : whole}.${decimals}`
    : undefined;
}

function splitAtLast(text: string, separator: string): [string, string] {
  const at = text.lastIndexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The digits without grouping; undefined unless all groups after the first have three digits. */
function ungrouped(text: string, separator: string): string | undefined {
  const [first = "", ...groups] = text.replace("-", "").split(separator);
  const regular = first.length >= 1 && first.length <= 3 && groups.every((group) => /^\d{3}$/.test(group));
  return regular && /^\d+$/.test(first)
    ? (text.startsWith("-") ? "-" : "") + first + groups.join("")
    : undefined;
}

/** If there are more decimals than the currency has, the rest must be zeros. */
function fits(decimals: string, exponent: number): boolean {
  return /^\d*$/.test(decimals) && /^0*$/.test(decimals.slice(exponent));
}
