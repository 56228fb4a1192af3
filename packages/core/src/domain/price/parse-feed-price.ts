import { currencyExponent, toMinor } from "./money.ts";

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
