import { replaceNumberWords } from "./number-words.ts";

/** Stands behind an amount of money: "$1,299.50" is read as "1299.5¤". */
export const moneyMark = "¤";

const signs = "[$€£¥₹₺₩]|us\\$|a\\$|c\\$";
const codes =
  "usd|eur|gbp|jpy|inr|try|cad|aud|chf|sek|nok|dkk|pln|dollars?|bucks?|euros?|pounds?|quid|yen|francs?|rupees?|lira";
const digits = "\\d+(?:[.,' \\u00a0]\\d{3})*(?:[.,]\\d+)?k?";

const beforeAmount = new RegExp(`(?:(?:${signs})|\\b(?:${codes}))\\s*(${digits})(?![\\d.,]*\\d)`, "g");
const afterAmount = new RegExp(`(?<![\\d.,])(${digits})\\s*(?:${signs}|(?:${codes})\\b|,-|\\.-)`, "g");
const plainAmount = new RegExp(`(?<![\\d.,\\p{L}])(${digits})(?![\\d\\p{L}¤]|[.,]\\d)`, "gu");
const cents = /(\d+)\s*(?:cents?|pence)\b/g;

/**
 * The request as the phrase tables read it: lower case, no markup or links, numbers in digits with a point, money marked.
 * Nothing else of the user's punctuation survives, so that what we show of a request is harmless text.
 */
export function normalise(request: string): string {
  const plain = request
    .normalize("NFKC")
    .replace(/<(script|style)\b[^>]*>.*?<\/\1\s*>/gis, " ")
    .replace(/<\/?[a-z!][^>]*>/gi, " ")
    .replace(/\b(?:https?:\/\/|www\.)\S+/gi, " ")
    .toLowerCase()
    .replace(/[’‘`´]/g, "'")
    .replace(/[–—−‐‑]/g, "-");
  return replaceNumberWords(plain)
    .replace(cents, (_, amount: string) => `${Number(amount) / 100}${moneyMark}`)
    .replace(beforeAmount, (_, amount: string) => ` ${readAmount(amount)}${moneyMark} `)
    .replace(afterAmount, (_, amount: string) => ` ${readAmount(amount)}${moneyMark} `)
    .replace(plainAmount, (_, amount: string) => ` ${readAmount(amount)} `)
    .replace(/\.(?!\d)|[;:!?()\n]/g, " , ")
    .replace(/[^\p{L}\p{M}\p{N}¤,.%+*~≈<>≤≥=/&'"-]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** "1.299,50", "1,299.50", "1 299.5" and "1.3k": the last mark with one or two digits behind it is the decimal one. */
export function readAmount(text: string): number {
  const factor = text.endsWith("k") ? 1000 : 1;
  const plain = text.replace(/k$/, "").replace(/[' \u00a0]/g, "");
  const mark = Math.max(plain.lastIndexOf("."), plain.lastIndexOf(","));
  if (mark < 0) return Number(plain) * factor;
  const fraction = plain.slice(mark + 1);
  const whole = plain.slice(0, mark).replace(/[.,]/g, "");
  const isThousands = fraction.length === 3 && whole !== "0" && factor === 1;
  return (isThousands ? Number(whole + fraction) : Number(`${whole}.${fraction}`)) * factor;
}
