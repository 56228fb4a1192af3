import { htmlToText } from "@product-search/core/domain/feed-values.ts";
import { attributeFields, type FieldName, memberOf, ruleOf } from "@product-search/core/domain/fields.ts";
import { currencyExponent, fromMinor } from "@product-search/core/domain/price/money.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { categoryPathsOf } from "@product-search/core/domain/product.ts";
import { maxRowLength } from "../formats/feed-row.ts";
import { slashedFields } from "../rows/merchant-row.ts";
import { plainFields } from "../rows/plain-fields.ts";

export const exportFormats = ["jsonl", "google", "openai"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A product as text of the feed, or why the format cannot hold it. */
export type WrittenProduct = { text: string } | { fault: string };

/** Writes products such that importing the feed changes nothing. */
export interface FeedWriter {
  start: string;
  product(product: StoredProduct): WrittenProduct;
  end: string;
}

/** `addressOf` turns a stored address into the one that is written. */
export function createFeedWriter(
  format: ExportFormat,
  currency: string,
  addressOf: (stored: string) => string = (stored) => stored,
): FeedWriter {
  const jsonLine = (record: object) => fitting(`${JSON.stringify(record)}\n`);
  switch (format) {
    case "jsonl":
      return { start: "", product: (product) => jsonLine(nativeRecord(product, currency)), end: "" };
    case "openai":
      return {
        start: "",
        product: (product) => jsonLine(openAiRecord(product, currency, addressOf)),
        end: "",
      };
    case "google":
      return {
        start: xmlStart(addressOf("/")),
        product: (product) => xmlItem(product, currency, addressOf),
        end: xmlEnd,
      };
  }
}

/** What the importer's reader keeps of a product at most. */
function fitting(text: string): WrittenProduct {
  return text.length > maxRowLength
    ? { fault: `would be longer than ${maxRowLength} characters, which is what an import reads` }
    : { text };
}

/** `undefined` members are left out by JSON. */
function nativeRecord(product: StoredProduct, currency: string): object {
  const { originalPriceMinor, attributes = {} } = product;
  const paths = categoryPathsOf(product).map((path) => path.map(markupSafe));
  return {
    id: keyOfJsonRow(product),
    name: markupSafe(product.name),
    storeName: markupSafe(product.storeName),
    brand: optionalText(product.brand),
    description: optionalText(product.description),
    categoryPaths: paths.length === 0 ? undefined : paths,
    groupId: product.groupId,
    attributes: attributesRecord(Object.entries(attributes)),
    ...furtherMembers(product),
    gtin: product.gtin,
    mpn: optionalText(product.mpn),
    language: product.language,
    url: product.url,
    images: product.images,
    price: fromMinor(product.priceMinor, currency),
    originalPrice: originalPriceMinor === undefined ? undefined : fromMinor(originalPriceMinor, currency),
    currency,
    availability: product.availability,
    averageRating: product.averageRating,
    reviewCount: product.reviewCount,
    isVerified: product.isVerified,
    isBoosted: product.isBoosted,
  };
}

/**
 * A line of OpenAI's product feed: https://developers.openai.com/commerce/specs/feed. That has no fields for `language`,
 * further categories, `isVerified`, `isBoosted` and `attributes` other than its own: they are there for the next import.
 */
function openAiRecord(
  product: StoredProduct,
  currency: string,
  addressOf: (stored: string) => string,
): object {
  const [image, ...furtherImages] = product.images.map(addressOf);
  const { columns, others } = splitAttributes(product);
  const categories = categoryTexts(product);
  return {
    is_eligible_search: true,
    is_eligible_checkout: false,
    item_id: keyOfJsonRow(product),
    ...textFields(product),
    url: addressOf(product.url),
    ...pricesOf(product, currency),
    availability: product.availability === "preorder" ? "pre_order" : product.availability,
    image_url: image,
    additional_image_urls: furtherImages.length === 0 ? undefined : furtherImages.map(imageInList),
    product_category: categories.length > 1 ? categories : categories[0],
    gtin: product.gtin,
    group_id: product.groupId,
    seller_name: markupSafe(product.storeName),
    ...Object.fromEntries(columns.map(([name, texts]) => [name, texts.length > 1 ? texts : texts[0]])),
    star_rating: product.averageRating?.toString(),
    review_count: product.reviewCount === 0 ? undefined : product.reviewCount,
    language: product.language,
    attributes: attributesRecord(others),
    ...furtherColumns(product),
    isVerified: product.isVerified,
    isBoosted: product.isBoosted,
  };
}

const xmlStart = (link: string) => `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">
<channel>
<title>Products</title>
<link>${xmlText(link)}</link>
<description>All products of the export.</description>
`;
const xmlEnd = "</channel>\n</rss>\n";

/** With more, they are written in the short form of tables: a reader takes a limited number of elements per product. */
const maxDetailElements = 300;

/** An `item` of a Google Merchant feed: https://support.google.com/merchants/answer/7052112 */
function xmlItem(
  product: StoredProduct,
  currency: string,
  addressOf: (stored: string) => string,
): WrittenProduct {
  const [image, ...furtherImages] = product.images.map(addressOf);
  const { columns, others } = splitAttributes(product);
  const single = {
    id: product.key,
    ...textFields(product),
    link: addressOf(product.url),
    ...pricesOf(product, currency),
    availability: product.availability,
    image_link: image,
    gtin: product.gtin,
    item_group_id: product.groupId,
    store_name: markupSafe(product.storeName),
    average_rating: product.averageRating,
    review_count: product.reviewCount === 0 ? undefined : product.reviewCount,
    content_language: product.language,
    ...furtherColumns(product),
  };
  const fields = [
    ...Object.entries(single).map(([name, value]) => xmlField(name, value)),
    ...furtherImages.map((address) => xmlField("additional_image_link", imageInList(address))),
    ...categoryTexts(product).map((path) => xmlField("product_type", path)),
    ...columns.flatMap(([name, texts]) => texts.map((text) => xmlField(name, text))),
    ...detailFields(others),
  ];
  const text = `<item>\n${fields.join("")}</item>\n`;
  return hasNoXmlForm(text) ? { fault: "has characters that XML cannot hold" } : fitting(text);
}

function xmlField(name: string, value: string | number | undefined): string {
  return value === undefined ? "" : `<g:${name}>${xmlText(String(value))}</g:${name}>\n`;
}

function detailFields(attributes: readonly (readonly [string, readonly string[]])[]): string[] {
  const pairs = attributes.flatMap(([name, values]) => values.map((value) => [name, value] as const));
  return pairs.map(([writtenName, writtenValue]) => {
    const name = withReferences(markupSafe(writtenName), /[:,]/g);
    const value = detailValue(markupSafe(writtenValue));
    if (pairs.length > maxDetailElements) return xmlField("product_detail", `:${name}:${value}`);
    const parts = xmlField("attribute_name", name) + xmlField("attribute_value", value);
    return `<g:product_detail>\n${parts}</g:product_detail>\n`;
  });
}

/** After a comma, a value with two colons would be read as the next detail. */
function detailValue(text: string): string {
  return /,[^:,]*:[^:,]*:/.test(text) ? withReferences(text, /:/g) : text;
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Stored texts have no control characters; keys may have the characters that are not assigned. */
function hasNoXmlForm(text: string): boolean {
  return !text.isWellFormed() || /[\ufffe\uffff]|(?!\n)\p{Cc}/u.test(text);
}

function textFields({ name, description, brand, mpn }: StoredProduct) {
  return {
    title: markupSafe(name),
    description: optionalText(description),
    brand: optionalText(brand),
    mpn: optionalText(mpn),
  };
}

/** The former price is Google's `price`, and OpenAI's. */
function pricesOf({ priceMinor, originalPriceMinor }: StoredProduct, currency: string) {
  return originalPriceMinor === undefined
    ? { price: priceText(priceMinor, currency) }
    : { price: priceText(originalPriceMinor, currency), sale_price: priceText(priceMinor, currency) };
}

function categoryTexts(product: StoredProduct): string[] {
  return categoryPathsOf(product).map((path) =>
    markupSafe(path.map((name) => levelOfPath(name, ">")).join(" > ")),
  );
}

type Values = readonly [name: string, values: string[]];

/** Attributes with a column of their own, as that has them, and all others. */
function splitAttributes({ attributes = {} }: StoredProduct): { columns: Values[]; others: Values[] } {
  const columns: Values[] = [];
  const others: Values[] = [];
  for (const [name, values] of Object.entries(attributes)) {
    const isSlashed = slashedFields.includes(name);
    const texts = values.map(markupSafe);
    if (
      !attributeFields.some((field) => field === name) ||
      (isSlashed && texts.some((text) => text.includes("/")))
    )
      others.push([name, values]);
    else columns.push([name, isSlashed ? [texts.join("/")] : texts]);
  }
  return { columns, others };
}

function attributesRecord(attributes: readonly (readonly [string, readonly string[]])[]): object | undefined {
  if (attributes.length === 0) return undefined;
  return Object.fromEntries(attributes.map(([name, values]) => [markupSafe(name), values.map(markupSafe)]));
}

/** Those that the formats above write in ways of their own. */
const ownWays: readonly FieldName[] = [
  "brand",
  "groupId",
  "mpn",
  "language",
  "averageRating",
  "reviewCount",
  "isVerified",
  "isBoosted",
];
const furtherFields = plainFields.filter((field) => !ownWays.includes(field));

/** All other fields by their names in responses, with JSON values. */
function furtherMembers(product: StoredProduct): Record<string, unknown> {
  return Object.fromEntries(furtherFields.map((field) => [memberOf(field), jsonValue(product, field)]));
}

/** The same by their columns, as texts. A list is written as JSON: a value may have a comma. */
function furtherColumns(product: StoredProduct): Record<string, string | undefined> {
  const columns = furtherFields.map((field) => {
    const value = jsonValue(product, field);
    const text = typeof value === "object" ? JSON.stringify(value) : value?.toString();
    return [ruleOf(field).google?.[0] ?? memberOf(field), text] as const;
  });
  return Object.fromEntries(columns);
}

function jsonValue(product: StoredProduct, field: FieldName): string | number | boolean | object | undefined {
  const value = product[field];
  if (value === undefined) return undefined;
  const { kind } = ruleOf(field);
  if (kind === "time" && typeof value === "number") return new Date(value).toISOString();
  if (kind === "json" && typeof value === "string") return JSON.parse(value);
  if (kind === "label" && typeof value === "string") return markupSafe(value);
  return kind === "labels" && Array.isArray(value) ? value.map((label) => markupSafe(String(label))) : value;
}

function optionalText(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : markupSafe(text);
}

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
function markupSafe(text: string): string {
  const safe = htmlToText(text) === text ? text : escapeMarkup(escapeMarkup(text));
  return safe.replace(noCharacters, reference);
}

/** A level of a category path whose name has the separator; the levels are read after the path has been split. */
function levelOfPath(name: string, separator: string): string {
  if (!name.includes(separator)) return markupSafe(name);
  return escapeMarkup(escapeMarkup(name));
}

/** The characters as references of HTML, for texts whose reader would split them there. */
function withReferences(text: string, characters: RegExp): string {
  return text.replace(characters, reference);
}

/** As in `19.99 USD`. */
function priceText(minor: number, currency: string): string {
  return `${fromMinor(minor, currency).toFixed(currencyExponent(currency))} ${currency}`;
}

/** For JSON rows, whose reader takes the name of a marketplace off the key. */
function keyOfJsonRow({ source, key }: Pick<StoredProduct, "source" | "key">): string {
  return source !== "catalog" && key.startsWith(`${source}_`) ? `${source}_${key}` : key;
}

/** An additional image of Google's: in a list of several, an address begins after a comma. */
function imageInList(address: string): string {
  return address.replace(/,(?=\s*https?:\/\/)/g, "%2C");
}

function escapeMarkup(text: string): string {
  return text.replace(/[&<>]/g, (character) => references.get(character) ?? character);
}

function reference(character: string): string {
  return `&#${character.codePointAt(0)};`;
}
