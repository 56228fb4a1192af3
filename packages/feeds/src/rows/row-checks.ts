import { printableUrl } from "@product-search/core/domain/ascii-url.ts";
import { type AttributePair, toAttributes } from "@product-search/core/domain/attributes.ts";
import type { Availability } from "@product-search/core/domain/availability.ts";
import { parseAvailability } from "@product-search/core/domain/availability-words.ts";
import { splitCategoryPath } from "@product-search/core/domain/category-paths.ts";
import { parseGtin } from "@product-search/core/domain/feed-values/gtin.ts";
import { parseLanguage } from "@product-search/core/domain/feed-values/language.ts";
import { htmlToText } from "@product-search/core/domain/html-to-text.ts";
import { productId, productSlug } from "@product-search/core/domain/identity.ts";
import { parseFeedPrice } from "@product-search/core/domain/price/parse-feed-price.ts";
import type {
  FeedChange,
  ProductAttributes,
  ProductPatch,
  ProductSource,
} from "@product-search/core/domain/product.ts";
import type { RowIssue } from "../formats/feed-row.ts";

/** Context for reading every row of a feed. */
export interface RowContext {
  source: ProductSource;
  currency: string;
  nowMs: number;
  /** For rows without a store. Without it, the host of the product's URL is used. */
  storeName?: string;
  /** Between the levels of a category. Default: ">". */
  categorySeparator?: string;
  /** The address of the shop, for feeds without addresses of product pages. */
  site?: string;
  /** The row is of a feed without addresses; `path` is that of the page in the shop, if it is clear. */
  noAddress?: { path?: string };
}

/** Thrown while a row is read; `readRow` turns it into the reason for the refusal. */
export class RowError extends Error {
  readonly field: string;

  constructor(field: string, reason: string) {
    super(reason);
    this.field = field;
  }
}

/** The result of reading a row, or why it is refused, with its key if that could be read. */
export type ReadRow =
  | { change: FeedChange /** Names and values of attributes that were cut. */; cutAttributes?: number }
  | { fault: RowIssue; key?: string };

/** `read` gets a function that counts names and values of attributes that were cut. */
export function readRow(
  key: string | undefined,
  read: (noteCut: (attributes: number) => void) => FeedChange,
): ReadRow {
  let cutAttributes = 0;
  try {
    const change = read((attributes) => {
      cutAttributes += attributes;
    });
    return { change, ...(cutAttributes > 0 && { cutAttributes }) };
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    return { fault: { field: error.field, reason: error.message }, ...(key !== undefined && { key }) };
  }
}

const maxKeyLength = 200;
const maxAddressLength = 2048;
/** Longer texts are cut, with an ellipsis. */
const maxNameLength = 500;
const maxLabelLength = 200;
const maxDescriptionLength = 10_000;
const maxCategoryLength = 2000;
export const maxImages = 20;

export function checkKey(field: string, value: string): string {
  const key = value.trim();
  if (key === "") throw new RowError(field, "is missing");
  if (key.length > maxKeyLength) throw new RowError(field, `is longer than ${maxKeyLength} characters`);
  if (/[\p{Cc}\p{Cs}]/u.test(key)) throw new RowError(field, "contains control characters");
  return key;
}

/** The key of a row that is refused for another reason, if it is one. */
export function readableKey(written: string | undefined): { key?: string } {
  try {
    return { key: checkKey("id", written ?? "") };
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    return {};
  }
}

export function checkName(field: string, value: string): string {
  const name = plainText(value, maxNameLength);
  if (name === "") throw new RowError(field, "is empty");
  return name;
}

/** A brand, category or store; undefined if the value is blank. */
export function checkLabel(value: string | undefined): string | undefined {
  return plainText(value ?? "", maxLabelLength) || undefined;
}

/** The levels of a category, each a name. */
export function checkCategoryPath(value: string, { categorySeparator }: RowContext): string[] {
  const text = plainText(value, maxCategoryLength);
  return splitCategoryPath(text, categorySeparator).flatMap((name) => checkLabel(name) ?? []);
}

/** Products with the same one are a group: a longer one is refused, because a part of it could be that of another group. */
export function checkGroupId(field: string, value: string | undefined): { groupId?: string } {
  return value === undefined || value.trim() === "" ? {} : { groupId: checkKey(field, value) };
}

export function checkMpn(value: string | undefined): { mpn?: string } {
  const mpn = checkLabel(value);
  return mpn === undefined ? {} : { mpn };
}

/**
 * Markup is removed. What is too much is cut and counted, because a product is still worth having without it. `former` are
 * attributes that have been read already and come first.
 */
export function checkAttributes(
  pairs: Iterable<AttributePair>,
  noteCut: (attributes: number) => void,
  former: ProductAttributes = {},
): { attributes?: ProductAttributes } {
  const plain = Object.entries(former).flatMap(([name, values]) =>
    values.map((value): AttributePair => [name, value]),
  );
  for (const [name, value] of pairs)
    plain.push([htmlToText(name.toWellFormed()), htmlToText(value.toWellFormed())]);
  const { attributes, cut } = toAttributes(plain);
  noteCut(cut);
  return attributes === undefined ? {} : { attributes };
}

/** The columns that feeds have for the number under the barcode. */
export const gtinNames = ["gtin", "ean", "upc", "barcode"] as const;

/** The first value that is a GTIN. Feeds also write "0" or "n/a" there, which is no reason to refuse the product. */
export function checkGtin(values: readonly (string | undefined)[]): { gtin?: string } {
  const gtin = values.map((value) => parseGtin(value ?? "")).find((read) => read !== undefined);
  return gtin === undefined ? {} : { gtin };
}

/** A value that is not a language tag is ignored: the language is then detected. */
export function checkLanguage(value: string | undefined): { language?: string } {
  const language = parseLanguage(value ?? "");
  return language === undefined ? {} : { language };
}

export function checkDescription(value: string): string {
  return plainText(value, maxDescriptionLength);
}

function plainText(text: string, longest: number): string {
  const plain = htmlToText(text.toWellFormed());
  return plain.length <= longest
    ? plain
    : `${plain
        .slice(0, longest - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

export function checkPrice(field: string, value: string | number, currency: string): number {
  const price = parseFeedPrice(value, currency);
  if ("fault" in price) throw new RowError(field, price.fault);
  return price.minor;
}

/** If a feed has no availability, its products are in stock. */
export function checkAvailability(field: string, value: string | undefined): Availability {
  if (value === undefined || value.trim() === "") return "in_stock";
  const availability = parseAvailability(value);
  if (availability === undefined) {
    throw new RowError(
      field,
      `"${shorten(value)}" is unknown; write in_stock, out_of_stock, preorder or backorder`,
    );
  }
  return availability;
}

/** A row of an inventory feed must change something. */
export function checkPatch(source: ProductSource, key: string, patch: ProductPatch["patch"]): ProductPatch {
  if (Object.keys(patch).length > 0) return { source, key, patch };
  throw new RowError("price", "is missing, and so are sale_price and availability: the row changes nothing");
}

const deletedWords = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

export function checkDeleted(field: string, value: string | undefined): boolean {
  if (value === undefined || value.trim() === "") return false;
  const isDeleted = deletedWords.get(value.trim().toLowerCase());
  if (isDeleted === undefined)
    throw new RowError(field, `"${shorten(value)}" is unknown; write true or false`);
  return isDeleted;
}

/** An absolute URL, or a path below the service's own URL. Control characters are stored as the parsed URL has them. */
export function checkAddress(field: string, value: string): string {
  const address = value.trim();
  if (address.length > maxAddressLength)
    throw new RowError(field, `is longer than ${maxAddressLength} characters`);
  const printable = readAddress(address);
  if (printable === undefined) throw new RowError(field, `"${shorten(address)}" is not an http or https URL`);
  if (printable.length > maxAddressLength)
    throw new RowError(field, `is longer than ${maxAddressLength} characters when it is percent-encoded`);
  return printable;
}

function readAddress(address: string): string | undefined {
  if (/^\/(?![/\\])/.test(address)) return printableUrl(address, "http://localhost");
  return /^https?:\/\//i.test(address) ? printableUrl(address) : undefined;
}

export function checkImages(field: string, values: readonly string[]): string[] {
  const images = values.filter((value) => value.trim() !== "").map((value) => checkAddress(field, value));
  return [...new Set(images)].slice(0, maxImages);
}

export function checkRating(field: string, value: number): number {
  if (!(value >= 0 && value <= 5)) throw new RowError(field, "is not between 0 and 5");
  return value;
}

export function checkReviewCount(field: string, value: number): number {
  if (!(Number.isInteger(value) && value >= 0 && value <= 1e9))
    throw new RowError(field, "is not a whole number of 0 or more");
  return value;
}

/** Where the feed has no addresses: the page in the shop, if that is known, else the service's own page of the product. */
export function pageAddress(
  { source, site, noAddress: { path } = {} }: RowContext,
  key: string,
  name: string,
): string {
  if (site !== undefined && path !== undefined)
    return checkAddress("link", `${site.replace(/\/+$/, "")}${path}`);
  return `/products/${encodeURIComponent(productSlug(source, key, productId(source, key), name))}`;
}

export function storeOf(named: string | undefined, context: RowContext, url: string): string {
  const store = checkLabel(named) ?? checkLabel(context.storeName);
  if (store !== undefined) return store;
  const address = [url, context.site ?? ""].find((one) => URL.canParse(one));
  return address === undefined ? "Unknown store" : new URL(address).hostname.replace(/^www\./, "");
}

/** Shortens a value for a message, because a feed may contain very long ones. */
export function shorten(value: string): string {
  return value.length <= 60 ? value : `${value.slice(0, 59).toWellFormed()}…`;
}
