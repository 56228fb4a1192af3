import type { FeedRow, MerchantRecord, TableReader } from "../formats/feed-row.ts";
import { toRecord } from "../formats/merchant-names.ts";
import { createRecentProducts } from "./recent-products.ts";

/** The written columns of fields that a message may name. */
const fieldColumns = new Map([
  ["id", "SKU"],
  ["title", "Name"],
  ["price", "Regular price"],
  ["sale_price", "Sale price"],
  ["sale_price_effective_date", "Date sale price starts"],
  ["link", "External URL"],
  ["image_link", "Images"],
  ["availability", "In stock?"],
  ["item_group_id", "Parent"],
]);

const gtinColumn = "gtin,_upc,_ean,_or_isbn";

/** By the version and the English of the shop. */
const visibilityColumns = ["visibility_in_catalog", "visibility_in_catalogue", "catalog_visibility"];

/** Of exports of plugins and of the API; the shop's own has none. */
const dateColumns = ["date_created", "date_published", "date"];

const readColumns = new Set([
  ...visibilityColumns,
  ...dateColumns,
  ...["gtin", "currency", "average_rating", "review_count"],
  ...["id", "type", "sku", gtinColumn, "name", "published"],
  ...["short_description", "description", "date_sale_price_starts", "date_sale_price_ends", "in_stock?"],
  ...["sale_price", "regular_price", "categories", "tags", "images", "parent", "external_url", "brands"],
]);

/** An attribute of a row; a variation names one without values if it may have any of them. */
interface Attribute {
  name: string;
  values: string[];
  isVisible: boolean;
}

interface Variation {
  line: number;
  /** Its values by name, as JSON. */
  text: string;
}

/** The maximum number of characters of variations that wait for their parent. */
const maxWaitingLength = 16_000_000;

/** WooCommerce's product export. */
export const wooCommerceExport = { name: "WooCommerce's product export", isHeader, createReader };

function isHeader(names: readonly string[]): boolean {
  return ["type", "name", "regular_price", "published"].every((name) => names.includes(name));
}

const typesOfProduct = /^(simple|variable|variation|grouped|external)(, ?(virtual|downloadable))*$/;

/** The export translates the names of its columns, but not the types of products, which its second column has. */
export function hasWooCommerceTypes(rows: readonly (readonly string[])[]): boolean {
  return rows.length > 0 && rows.every(([, type = ""]) => typesOfProduct.test(type.trim()));
}

export function isWooCommerceType(value: unknown): boolean {
  return typeof value === "string" && typesOfProduct.test(value.trim().toLowerCase());
}

/** What a row of another table from WooCommerce says about itself: that it is a group, a parent of variations, or not shown. */
export function createWooCommerceSigns(
  names: readonly string[],
  isMapped: (at: number) => boolean,
): { of(values: readonly string[]): "group" | "parent" | "hidden" | undefined; reads(at: number): boolean } {
  const positions = (...wanted: string[]) =>
    names.flatMap((name, at) => (wanted.includes(name) && !isMapped(at) ? [at] : []));
  const types = positions("type", "product_type");
  const visibilities = positions("visibility", "catalog_visibility", "visibility_in_catalog");
  const states = positions("status", "post_status", "product_status");
  const of = (values: readonly string[]) => {
    const has = (at: readonly number[], pattern: RegExp) =>
      at.some((one) => pattern.test(values[one]?.trim() ?? ""));
    if (has(visibilities, /^(hidden|catalog|not visible( individually)?)$/i)) return "hidden";
    if (has(states, /^(draft|private|pending|trash|archived)$/i)) return "hidden";
    if (has(types, /^grouped$/i)) return "group";
    return has(types, /^variable(-subscription)?$/i) ? "parent" : undefined;
  };
  return { of, reads: (at) => [...types, ...visibilities, ...states].includes(at) };
}

/**
 * The rows of WooCommerce's export, https://github.com/woocommerce/woocommerce/wiki/Product-CSV-Import-Schema. A `variable`
 * product is the group of its variations, which name it as their parent; they have their own rows, usually below it.
 */
function createReader(
  written: readonly string[],
  names: readonly string[],
  attributeColumns: readonly string[],
): TableReader {
  const numbers = names.flatMap((name) => /^attribute_(\d+)_name$/.exec(name)?.[1] ?? []);
  const { push, end } = createWooCommerceProducts({
    numbers,
    attributeColumns: attributeColumns.map((label) => [label, names[written.indexOf(label)] ?? ""]),
  });
  return {
    push: (line, values) => push(line, withoutApostrophes(toRecord(names, values))),
    end,
    reads: (at) => readColumns.has(names[at] ?? "") || /^attribute_\d+_/.test(names[at] ?? ""),
    keyOf: (values) => keyOf(withoutApostrophes(toRecord(names, values))),
  };
}

interface WooCommerceColumns {
  /** Of the attributes' columns. */
  numbers: readonly string[];
  /** Columns that become attributes, as written and as named. */
  attributeColumns: readonly (readonly [string, string])[];
}

/** Products of the API have at most this many attributes. */
const apiNumbers = Array.from({ length: 100 }, (_, at) => `${at + 1}`);

/** Products of rows by the names of the export's columns. */
export function createWooCommerceProducts(
  { numbers, attributeColumns }: WooCommerceColumns = { numbers: apiNumbers, attributeColumns: [] },
) {
  const parents = createRecentProducts<[string, readonly string[]][]>();
  /** Variations whose parent has not come yet, by its name. */
  const waiting = new Map<string, Variation[]>();
  let waitingLength = 0;
  /** Parents that have a price of their own and no variation so far. */
  const childless = new Map<string, Variation>();
  let childlessLength = 0;

  function toRow(line: number, row: MerchantRecord, parent: MerchantRecord | undefined): FeedRow {
    const isVariation = isOfType(row, "variation");
    const id = keyOf(row);
    const pageId = first(parent ?? row, "id");
    const isUnpublished = isHidden(row) || (parent !== undefined && isHidden(parent));
    const table = {
      columns: fieldColumns,
      isUnpublished,
      noAddress: pageId === undefined ? {} : { path: `/?p=${encodeURIComponent(pageId)}` },
    };
    if (isUnpublished) return { line, own: { id, deleted: true }, table };
    if (first(row, "name") === undefined && (parent === undefined || first(parent, "name") === undefined))
      return { line, fault: { field: "Name", reason: "is missing" }, record: { own: { id } } };
    const inherited = (name: string) => first(row, name) ?? (parent && first(parent, name));
    const own = {
      id,
      title: inherited("name"),
      description: withLineBreaks(inherited("description") ?? inherited("short_description")),
      ...pricesOf(row),
      availability: availabilityOf(row) ?? (parent && availabilityOf(parent)),
      image_link: [...listOf(first(row, "images")), ...listOf(parent && first(parent, "images"))],
      product_type: listOf(inherited("categories")),
      brand: listOf(inherited("brands"))[0]?.split(">").at(-1),
      gtin: first(row, gtinColumn) ?? first(row, "gtin"),
      link: first(row, "external_url"),
      currency: first(row, "currency"),
      tags: inherited("tags"),
      // A date in the form of a country is left out: the row is worth more than its date.
      released_at: dateColumns.map(inherited).find((date) => /^\d{4}-\d\d-\d\d/.test(date ?? "")),
      average_rating: inherited("average_rating"),
      review_count: inherited("review_count"),
      ...(isVariation && { item_group_id: parent === undefined ? first(row, "parent") : keyOf(parent) }),
      attributes: attributesOf(row, parent),
    };
    return { line, own, table };
  }

  function attributesOf(row: MerchantRecord, parent: MerchantRecord | undefined) {
    const ofParent = parent === undefined ? [] : attributesIn(parent);
    const own = attributesIn(row).map((attribute) =>
      attribute.values.length > 0 ? attribute : (find(ofParent, attribute.name) ?? attribute),
    );
    const isOwn = ({ name }: Attribute) => find(own, name) !== undefined;
    const shared = ofParent.filter((attribute) => attribute.isVisible && !isOwn(attribute));
    const shown = parent === undefined ? own.filter(({ isVisible }) => isVisible) : own;
    const chosen = attributeColumns.map(([label, name]): [string, string[]] => {
      const text = first(row, name) ?? (parent && first(parent, name));
      return [label, name === "tags" ? listOf(text) : text === undefined ? [] : [text]];
    });
    return Object.fromEntries([
      ...chosen,
      ...[...shown, ...shared].map(({ name, values }): [string, string[]] => [name, values]),
    ]);
  }

  function attributesIn(row: MerchantRecord): Attribute[] {
    return numbers.flatMap((number) => {
      const name = first(row, `attribute_${number}_name`);
      if (name === undefined) return [];
      const values = listOf(first(row, `attribute_${number}_value(s)`));
      // Variations do not say whether an attribute is shown: it is what they are chosen by.
      const isVisible = first(row, `attribute_${number}_visible`) !== "0";
      return [{ name, values, isVisible }];
    });
  }

  function pushVariation(line: number, row: MerchantRecord): FeedRow[] {
    const reference = first(row, "parent") ?? "";
    const known = parents.get(reference);
    const parent = known && new Map(known);
    if (parent !== undefined) forgetChildless(`id:${first(parent, "id")}`);
    if (parent !== undefined || reference === "") return [toRow(line, row, parent)];
    const text = JSON.stringify([...row]);
    const others = waiting.get(reference);
    if (others === undefined) waiting.set(reference, [{ line, text }]);
    else others.push({ line, text });
    waitingLength += text.length;
    return waitingLength > maxWaitingLength ? takeWaiting() : [];
  }

  function forgetChildless(reference: string): void {
    childlessLength -= childless.get(reference)?.text.length ?? 0;
    childless.delete(reference);
  }

  /** Without its variations, a product is sold as it is: it must not be lost. */
  function takeChildless(maxLength: number): FeedRow[] {
    const rows: FeedRow[] = [];
    for (const [reference, { line, text }] of childless) {
      if (childlessLength <= maxLength) break;
      forgetChildless(reference);
      rows.push(toRow(line, new Map(JSON.parse(text)), undefined));
    }
    return rows;
  }

  function pushParent(line: number, row: MerchantRecord): FeedRow[] {
    const references = [first(row, "sku"), `id:${first(row, "id")}`].filter((one) => one !== undefined);
    parents.set(references, [...row]);
    const hasChildren = references.some((reference) => waiting.has(reference));
    if (!hasChildren && first(row, "regular_price") !== undefined) {
      const text = JSON.stringify([...row]);
      childless.set(`id:${first(row, "id")}`, { line, text });
      childlessLength += text.length;
    }
    const lone = takeChildless(maxWaitingLength);
    const variations = references.flatMap((reference) => {
      const variations = waiting.get(reference) ?? [];
      waiting.delete(reference);
      for (const { text } of variations) waitingLength -= text.length;
      return variations.map(({ line, text }) => toRow(line, new Map(JSON.parse(text)), row));
    });
    return [...lone, ...variations];
  }

  /**
   * An export may leave the parents out: each variation is then what its own row says. But it is refused if its parent may have
   * been too far above, because it would lack its categories and images.
   */
  function takeWaiting(): FeedRow[] {
    const variations = [...waiting.values()].flat();
    waiting.clear();
    waitingLength = 0;
    return variations.map(({ line, text }): FeedRow => {
      const row: MerchantRecord = new Map(JSON.parse(text));
      if (!parents.hasForgotten()) return toRow(line, row, undefined);
      const reason = "names a product that is too far above: sort the file so that variations follow it";
      return { line, fault: { field: "Parent", reason }, record: { own: { id: keyOf(row) } } };
    });
  }

  return {
    push(line: number, row: MerchantRecord): FeedRow[] {
      if (isOfType(row, "variation")) return pushVariation(line, row);
      if (isOfType(row, "variable")) return pushParent(line, row);
      // It has no price of its own: its members are products with rows of their own.
      if (isOfType(row, "grouped")) return [];
      return [toRow(line, row, undefined)];
    },
    end: (): FeedRow[] => [...takeWaiting(), ...takeChildless(0)],
  };
}

function first(row: MerchantRecord, name: string): string | undefined {
  return row.get(name)?.[0];
}

/** As in `simple, virtual`; plug-ins have more of them, such as `variable-subscription` and `subscription_variation`. */
function isOfType(row: MerchantRecord, type: string): boolean {
  const types = (first(row, "type") ?? "").toLowerCase().split(/[\s,_-]+/);
  return types.includes(type);
}

/** WooCommerce identifies a product without a SKU in the same way. */
function keyOf(row: MerchantRecord): string | undefined {
  const id = first(row, "id");
  return first(row, "sku") ?? (id === undefined ? undefined : `id:${id}`);
}

/** The export has an apostrophe before what a spreadsheet would take for a formula. */
function withoutApostrophes(row: MerchantRecord): MerchantRecord {
  return new Map(
    [...row].map(([name, values]) => [name, values.map((one) => one.replace(/^'(?=[=+@-])/, ""))]),
  );
}

/** Only what customers of the shop can find by searching. */
function isHidden(row: MerchantRecord): boolean {
  const published = first(row, "published") ?? "1";
  const visibility =
    visibilityColumns.map((name) => first(row, name)).find((one) => one !== undefined) ?? "visible";
  return !/^(1|true|yes)$/i.test(published) || !/^(visible|search)$/i.test(visibility);
}

/** Separated by commas; a comma inside a value is `\,`. */
function listOf(text: string | undefined): string[] {
  if (text === undefined) return [];
  return text
    .split(/(?<!\\),/)
    .map((value) => value.replaceAll("\\,", ",").trim())
    .filter((value) => value !== "");
}

function find(attributes: readonly Attribute[], name: string): Attribute | undefined {
  return attributes.find((one) => one.name.toLowerCase() === name.toLowerCase());
}

function pricesOf(row: MerchantRecord) {
  const sale = first(row, "sale_price");
  const from = first(row, "date_sale_price_starts");
  const to = first(row, "date_sale_price_ends");
  const range = `${momentOf(from, "00:00:00") ?? "1970-01-01"}/${momentOf(to, "23:59:59") ?? "9999-12-31"}`;
  return {
    price: first(row, "regular_price"),
    ...(sale !== undefined && {
      sale_price: sale,
      ...((from !== undefined || to !== undefined) && { sale_price_effective_date: range }),
    }),
  };
}

/** A sale lasts to the end of its last day. Dates are read as UTC, because the shop's zone is not in the file. */
function momentOf(text: string | undefined, timeOfDay: string): string | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T${timeOfDay}Z`;
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? `${text.replace(" ", "T")}Z` : text;
}

function availabilityOf(row: MerchantRecord): string | undefined {
  const status = first(row, "in_stock?")?.toLowerCase();
  if (status === undefined) return undefined;
  if (status === "1") return "in_stock";
  if (status === "0") return "out_of_stock";
  return status === "onbackorder" ? "backorder" : status;
}

/** The export writes a line break as `\n`. */
function withLineBreaks(text: string | undefined): string | undefined {
  return text?.replace(/(?<!\\)\\n/g, "\n");
}
