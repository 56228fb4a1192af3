import { decodeHTML } from "entities";
import { ApiError } from "../errors.ts";

const separators = /[\s-]/g;
const numberOfProduct = /^\d{8,14}$/;
const onlyZeros = /^0+$/;

/**
 * A Global Trade Item Number (EAN, UPC, ISBN-13) in its form of 14 digits: shorter ones have leading zeros in it, so
 * that all forms of a number are equal. Undefined for anything else. The check digit is not checked: a shopper who
 * types the number that a feed has, right or wrong, means that product.
 */
export function parseGtin(text: string): string | undefined {
  const digits = text.replace(separators, "");
  return numberOfProduct.test(digits) && !onlyZeros.test(digits) ? digits.padStart(14, "0") : undefined;
}

const languageTag = /^\s*([a-z]{2})(?:[-_][a-z0-9_-]*)?\s*$/i;

/** The language of a tag such as "de", "de-AT" or "en_US" (RFC 5646); undefined for anything else. */
export function parseLanguage(text: string): string | undefined {
  return languageTag.exec(text)?.[1]?.toLowerCase();
}

/** A parameter in ISO 8601. A date without a time is the start of that day in UTC. */
export function readTime(parameter: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time) && isDay(text.slice(0, 10))) return time;
  throw new ApiError(
    "invalid_request",
    `${parameter}: ${text} is no time that exists. Send something like 2026-11-22 or 2026-11-22T12:00:00Z.`,
  );
}

/** Refuses a period that ends before it begins. Both times are as the client sent them. */
export function assertPeriod(from: { text: string; ms: number }, to: { text: string; ms: number }): void {
  if (from.ms <= to.ms) return;
  throw new ApiError(
    "invalid_request",
    `to: ${to.text} is before from, which is ${from.text}. Send the later time as to.`,
  );
}

/** JavaScript reads February 31 as March 3. */
function isDay(day: string): boolean {
  return new Date(day).toISOString().startsWith(day);
}

/** A comment, a script or style with its content, or a tag. If it is never closed, it extends to the end. */
const markup = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)|<[a-z/!?][^<>]*(?:>|$)/gi;
const block =
  /^<\/?(?:address|article|blockquote|br|dd|div|dl|dt|h[1-6]|hr|li|ol|p|pre|section|table|td|th|tr|ul)\b/i;
/** Every run of spaces and control characters but a single space, which stays as it is: most texts have no other. */
const controls = /[[\p{Cc}\s]--[ ]][\p{Cc}\s]*| [\p{Cc}\s]+/gv;

/**
 * The text of a piece of HTML on one line. Markup that a feed has escaped once too often is removed as well. Takes
 * linear time; the input need not be well-formed.
 */
export function htmlToText(html: string): string {
  return withoutMarkup(withoutMarkup(html)).replace(controls, " ").trim();
}

function withoutMarkup(html: string): string {
  const text = html.includes("<") ? html.replace(markup, (tag) => (block.test(tag) ? " " : "")) : html;
  return text.includes("&") ? decodeHTML(text) : text;
}
