import { htmlToText } from "@product-search/core/domain/feed-values.ts";
import { currencyExponent, fromMinor } from "@product-search/core/domain/price/money.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";

/** XML has no way to write these, not even as character references. */
const noCharacters = /[\ufffe\uffff]/g;

const references = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
]);

/**
 * A stored text such that a feed's reader, which removes markup twice, reads exactly it. Most texts stay as they are: only
 * what looks like markup is escaped.
 */
export function markupSafe(text: string): string {
  const safe = htmlToText(text) === text ? text : escapeMarkup(escapeMarkup(text));
  return safe.replace(noCharacters, reference);
}

/** A level of a category path whose name has the separator; the levels are read after the path has been split. */
export function levelOfPath(name: string, separator: string): string {
  if (!name.includes(separator)) return markupSafe(name);
  return escapeMarkup(escapeMarkup(name));
}

/** The characters as references of HTML, for texts whose reader would split them there. */
export function withReferences(text: string, characters: RegExp): string {
  return text.replace(characters, reference);
}

/** As in `19.99 USD`. */
export function priceText(minor: number, currency: string): string {
  return `${fromMinor(minor, currency).toFixed(currencyExponent(currency))} ${currency}`;
}

/** For JSON rows, whose reader takes the name of a marketplace off the key. */
export function keyOfJsonRow({ source, key }: Pick<StoredProduct, "source" | "key">): string {
  return source !== "catalog" && key.startsWith(`${source}_`) ? `${source}_${key}` : key;
}

/** An additional image of Google's: in a list of several, an address begins after a comma. */
export function imageInList(address: string): string {
  return address.replace(/,(?=\s*https?:\/\/)/g, "%2C");
}

function escapeMarkup(text: string): string {
  return text.replace(/[&<>]/g, (character) => references.get(character) ?? character);
}

function reference(character: string): string {
  return `&#${character.codePointAt(0)};`;
}
