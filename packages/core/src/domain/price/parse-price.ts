import { toMinor } from "./money.ts";

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
