import { type AttributePair, toAttributes } from "@product-search/core/domain/attributes.ts";
import { type Availability, parseAvailability } from "@product-search/core/domain/availability.ts";
import { htmlToText, parseGtin } from "@product-search/core/domain/feed-values.ts";
import { productId, productSlug } from "@product-search/core/domain/identity.ts";
import { hostOf } from "@product-search/core/domain/next-product.ts";
import { parseFeedPrice } from "@product-search/core/domain/price/money.ts";
import type {
  FeedChange,
  FieldChanges,
  ProductAttributes,
  ProductInput,
  ProductPatch,
  ProductSource,
} from "@product-search/core/domain/product.ts";
import { splitCategoryPath } from "@product-search/core/domain/product.ts";
import { printableUrl } from "@product-search/core/domain/urls.ts";
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
  /** The row is of a table, which has no other values than texts. */
  isTable?: boolean;
  /** The key of the stored product with this `_id`, if there is one. */
  keyOfId?: (id: string) => string | undefined;
  /** Whether the address of an image itself shows that it is never fetched. */
  isUnfetchable?: (address: string) => boolean;
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
export type ReadRow = (({ change: FeedChange } & Partial<RowNotes>) | { fault: RowIssue; key?: string }) & {
  /** Names of fields that are kept nowhere. */ ignored?: readonly string[];
};

/** What was lost of a row that is read. */
export interface RowNotes {
  /** The names of attributes that were cut, or have values that were. */
  cutAttributes: string[];
  /** Addresses of images that are kept, and never fetched. */
  unfetchableImages: string[];
}

/** A row with more is not one of products. */
const maxIgnored = 200;

export function checkIgnored(ignored: readonly string[]): void {
  const [first = ""] = ignored;
  if (ignored.length > maxIgnored)
    throw new RowError(
      shorten(first),
      `is unknown, like ${ignored.length - 1} other fields of the row; at most ${maxIgnored} are ignored`,
    );
}

/** `writtenKey` is asked for if the row is refused. */
export function readRow(
  writtenKey: () => string | undefined,
  read: (notes: RowNotes) => FeedChange,
): ReadRow {
  const notes: RowNotes = { cutAttributes: [], unfetchableImages: [] };
  try {
    const change = read(notes);
    const { cutAttributes, unfetchableImages } = notes;
    return {
      change,
      ...(cutAttributes.length > 0 && { cutAttributes }),
      ...(unfetchableImages.length > 0 && { unfetchableImages }),
    };
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    const key = writtenKey();
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

/**
 * Markup is removed. What is too much is cut and noted, because a product is still worth having without it. `former` are
 * attributes that have been read already and come first.
 */
export function checkAttributes(
  pairs: Iterable<AttributePair>,
  notes: RowNotes,
  former: ProductAttributes = {},
): { attributes?: ProductAttributes } {
  const plain = Object.entries(former).flatMap(([name, values]) =>
    values.map((value): AttributePair => [name, value]),
  );
  for (const [name, value] of pairs)
    plain.push([htmlToText(name.toWellFormed()), htmlToText(value.toWellFormed())]);
  const { attributes, cut } = toAttributes(plain);
  for (const name of cut) notes.cutAttributes.push(name);
  return attributes === undefined ? {} : { attributes };
}

/** The columns that feeds have for the number under the barcode. */
export const gtinNames = ["gtin", "ean", "upc", "barcode"] as const;

/** The first value that is a GTIN. Feeds also write "0" or "n/a" there, which is no reason to refuse the product. */
export function checkGtin(values: readonly (string | undefined)[]): { gtin?: string } {
  const gtin = values.map((value) => parseGtin(value ?? "")).find((read) => read !== undefined);
  return gtin === undefined ? {} : { gtin };
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

/** A patch must change something. */
export function toPatch(source: ProductSource, key: string, patch: FieldChanges): ProductPatch {
  if (Object.values(patch).some((part) => typeof part === "number" || Object.keys(part).length > 0))
    return { source, key, patch };
  throw new RowError("price", "is missing, and so are sale_price and availability: the row changes nothing");
}

/** What an inventory row says: a price without one before a reduction ends the reduction. */
export function inventoryChanges(
  given: Partial<Pick<ProductInput, "priceMinor" | "originalPriceMinor" | "availability">> & {
    salePriceMinor?: number;
  },
): FieldChanges {
  const { salePriceMinor, ...set } = given;
  const endsReduction = set.priceMinor !== undefined && set.originalPriceMinor === undefined;
  return {
    ...(Object.keys(set).length > 0 && { set }),
    ...(endsReduction && { removed: ["originalPriceMinor"] }),
    ...(salePriceMinor !== undefined && { salePriceMinor }),
  };
}

const flagWords = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

/** A flag of a table. */
export function checkFlag(field: string, value: string | undefined): boolean {
  if (value === undefined || value.trim() === "") return false;
  const flag = flagWords.get(value.trim().toLowerCase());
  if (flag === undefined) throw new RowError(field, `"${shorten(value)}" is unknown; write true or false`);
  return flag;
}

/** Whether a row deletes: a JSON row with another value may be a mistake, and a deletion cannot be undone. */
export function checkDeleted(value: unknown, { isTable }: RowContext): boolean {
  if (value === undefined) return false;
  if (value === true || isTable) return value === true || checkFlag("deleted", String(value));
  throw new RowError("deleted", "is not true; leave it out of a row that deletes nothing");
}

/** The address of a product's page. */
export function checkPage(field: string, value: string): string {
  const address = checkAddress(field, value);
  const { username = "", password = "" } = URL.parse(address) ?? {};
  if (username !== "" || password !== "")
    throw new RowError(field, "contains a user name or a password, which everybody would see");
  return address;
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

export function checkImages(
  field: string,
  values: readonly string[],
  { isUnfetchable }: RowContext,
  notes: RowNotes,
): string[] {
  const given = values.filter((value) => value.trim() !== "").map((value) => checkAddress(field, value));
  const images = [...new Set(given)].slice(0, maxImages);
  for (const image of images) if (isUnfetchable?.(image)) notes.unfetchableImages.push(image);
  return images;
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

/** A product with what a row says, and with what it need not say. */
export function wholeProduct(key: string, context: RowContext, given: Partial<ProductInput>): ProductInput {
  const { name = "", url = "", priceMinor = 0, ...fields } = given;
  const storeName =
    checkLabel(given.storeName) ?? checkLabel(context.storeName) ?? hostOf(url, context.site ?? "");
  const defaults = { description: "", images: [], availability: "in_stock" } as const;
  return { ...defaults, ...fields, source: context.source, key, name, url, priceMinor, storeName };
}

/** Shortens a value for a message, because a feed may contain very long ones. */
export function shorten(value: string): string {
  return value.length <= 60 ? value : `${value.slice(0, 59).toWellFormed()}…`;
}
