import type { FeedRow, MerchantRecord, OtherTable, TableReader } from "../formats/feed-row.ts";
import { toRecord } from "../formats/merchant-names.ts";
import { maxImages } from "../rows/row-checks.ts";
import { copyOf, createRecentProducts } from "./recent-products.ts";

/** Names of one column: those of exports until 2025, and those of today. */
const columns = {
  handle: ["handle", "url_handle"],
  title: ["title"],
  description: ["body_(html)", "body_html", "description"],
  vendor: ["vendor"],
  category: ["product_category", "standard_product_type", "standardized_product_type"],
  type: ["type", "custom_product_type"],
  published: ["published", "published_on_online_store"],
  status: ["status"],
  sku: ["variant_sku", "sku"],
  price: ["variant_price", "price"],
  formerPrice: ["variant_compare_at_price", "compare_at_price"],
  barcode: ["variant_barcode", "barcode"],
  tracker: ["variant_inventory_tracker", "inventory_tracker"],
  quantity: ["variant_inventory_qty", "inventory_quantity"],
  whenSoldOut: ["variant_inventory_policy", "continue_selling_when_out_of_stock"],
  image: ["image_src", "product_image_url"],
  variantImage: ["variant_image", "variant_image_url"],
  googleCategory: ["google_shopping_/_google_product_category"],
  gender: ["google_shopping_/_gender"],
  ageGroup: ["google_shopping_/_age_group"],
  condition: ["google_shopping_/_condition"],
  tags: ["tags"],
  publishedAt: ["published_at", "created_at"],
  /** Of `products.json`, which has no quantities. */
  available: ["available"],
  mpn: ["google_shopping_/_mpn", "google_shopping_/_manufacturer_part_number_(mpn)"],
} as const satisfies Record<string, readonly string[]>;

type Column = keyof typeof columns;

/** The column of each field that a message may name. */
const fieldColumns: Partial<Record<string, Column>> = {
  title: "title",
  price: "price",
  sale_price: "price",
  description: "description",
  image_link: "image",
  item_group_id: "handle",
};

/** More rows of one product than this are written out in parts, of which a later one lacks the images of the earlier rows. */
const maxGroupLength = 8_000_000;

/** Some 100 MB. */
const maxShownSkus = 500_000;

/** The rows of one product, until a row of another one comes. */
interface Group {
  handle: string;
  /** The row that has what all variants share. */
  product?: MerchantRecord;
  images: string[];
  variants: { line: number; row: MerchantRecord }[];
  length: number;
}

/** What is kept of a product in case that it has more rows further down. */
interface Shared {
  product?: [string, readonly string[]][];
  images: string[];
}

/** Shopify's product export. */
export const shopifyExport = { name: "Shopify's product export", isHeader, createReader };

function isHeader(names: readonly string[]): boolean {
  const has = (name: string) => names.includes(name);
  if (!has("title") || !(has("handle") || has("url_handle"))) return false;
  return has("variant_price") || (has("price") && (has("url_handle") || has("option1_value")));
}

/**
 * The rows of Shopify's product export, https://help.shopify.com/en/manual/products/import-export/using-csv: the first row of
 * a product has its title, each further one a variant, an image, or both.
 */
function createReader(
  written: readonly string[],
  names: readonly string[],
  attributeColumns: readonly string[],
): TableReader {
  const products = createShopifyProducts({ written, names, attributeColumns });
  const readNames = new Set([
    ...Object.values(columns).flat(),
    ...categoryMetafields(written, names).map(({ name }) => name),
  ]);
  return {
    ...products,
    push: (line, values) => products.push(line, toRecord(names, values)),
    reads: (at) => readNames.has(names[at] ?? "") || /^option\d_/.test(names[at] ?? ""),
  };
}

interface ShopifyColumns {
  written: readonly string[];
  names: readonly string[];
  attributeColumns: readonly string[];
}

/** Products of rows by the names of the export's columns. */
export function createShopifyProducts(
  { written, names, attributeColumns }: ShopifyColumns = { written: [], names: [], attributeColumns: [] },
) {
  const recent = createRecentProducts<Shared>();
  const metafields = categoryMetafields(written, names);
  const hasTracker = names.length === 0 || columns.tracker.some((name) => names.includes(name));
  const writtenColumns = toWrittenColumns(written, names);
  /** The product that has a SKU first. Other products may have the same: they get keys of their own. */
  const shownSkus = new Map<string, string>();
  let group: Group | undefined;

  function begin(handle: string): Group {
    const { product, images = [] } = recent.get(handle) ?? {};
    const shared = product && { product: new Map(product) };
    return { handle, images: [...images], variants: [], length: 0, ...shared };
  }

  function uniqueKeyOf(
    row: MerchantRecord,
    product: MerchantRecord,
    handle: string,
    skus: Map<string, number>,
  ) {
    const owner = shownSkus.get(skuOf(row) ?? "") ?? handle;
    return idOf(row, product, handle, owner === handle ? skus : noSkus);
  }

  function flush(): FeedRow[] {
    if (group === undefined) return [];
    const { handle, product, images, variants } = group;
    const skus = countOf(variants.flatMap(({ row }) => skuOf(row) ?? []));
    const rows = variants.flatMap(({ line, row }): FeedRow[] => {
      const id = uniqueKeyOf(row, product ?? row, handle, skus);
      if (product === undefined) {
        const reason = `is missing, and no row above has it for "${handle.slice(0, 60)}"`;
        return [{ line, fault: { field: "Title", reason }, record: { own: { id } } }];
      }
      if (isHidden(product)) {
        const sku = skuOf(row);
        if (sku !== undefined && skus.get(sku) === 1 && shownSkus.has(sku)) return [];
      } else if (id === skuOf(row) && shownSkus.size < maxShownSkus)
        shownSkus.set(copyOf(id), copyOf(handle));
      return [toRow(line, row, product, images, handle, id)];
    });
    recent.set([handle], { images, ...(product && { product: [...product] }) });
    group = undefined;
    return rows;
  }

  function toRow(
    line: number,
    row: MerchantRecord,
    product: MerchantRecord,
    images: readonly string[],
    handle: string,
    id: string,
  ): FeedRow {
    const options = optionsOf(row, product);
    const isUnpublished = isHidden(product);
    const table: OtherTable = {
      columns: writtenColumns,
      noAddress: { path: `/products/${encodeURIComponent(handle)}` },
      isUnpublished,
    };
    if (isUnpublished) return { line, own: { id, deleted: true }, table };
    const own = {
      id,
      title: first(product, "title"),
      description: first(product, "description"),
      brand: first(product, "vendor"),
      ...pricesOf(row),
      availability: availabilityOf(row, hasTracker),
      image_link: [...(first(row, "variantImage") ? [first(row, "variantImage")] : []), ...images],
      ...categoriesOf(product),
      gtin: withoutApostrophe(first(row, "barcode")),
      mpn: first(row, "mpn") ?? first(product, "mpn"),
      gender: first(row, "gender") ?? first(product, "gender"),
      age_group: first(row, "ageGroup") ?? first(product, "ageGroup"),
      condition: first(row, "condition") ?? first(product, "condition"),
      ...(options.length > 0 && { item_group_id: handle }),
      tags: first(product, "tags"),
      released_at: first(product, "publishedAt"),
      attributes: attributesOf(row, product, options),
    };
    return { line, own, table };
  }

  function attributesOf(row: MerchantRecord, product: MerchantRecord, options: [string, string][]) {
    const attributes = new Map<string, string[]>(options.map(([name, value]) => [name, [value]]));
    const add = (name: string, values: readonly string[]) => {
      const isOption = [...attributes.keys()].some((other) => other.toLowerCase() === name.toLowerCase());
      if (!isOption && values.length > 0) attributes.set(name, [...values]);
    };
    for (const { name, label, field } of metafields) {
      // The options of the variants are values of this field: each variant has its own.
      const isLinked = [1, 2, 3].some((number) => product.get(`option${number}_linked_to`)?.[0] === field);
      if (isLinked) continue;
      const values = (row.get(name) ?? product.get(name) ?? []).flatMap((value) => listed(value, ";"));
      add(
        label,
        values.map((value) => nameOfHandle(value, field)),
      );
    }
    for (const label of attributeColumns) {
      const name = names[written.indexOf(label)] ?? "";
      const values = row.get(name) ?? product.get(name) ?? [];
      add(label, name === "tags" ? values.flatMap((value) => listed(value, ",")) : values);
    }
    return Object.fromEntries(attributes);
  }

  return {
    push(line: number, row: MerchantRecord): FeedRow[] {
      const handle = first(row, "handle");
      if (handle === undefined)
        return [
          { line, fault: { field: "Handle", reason: "is missing" }, record: { own: { id: skuOf(row) } } },
        ];
      const rows = handle === group?.handle && group.length <= maxGroupLength ? [] : flush();
      group ??= begin(handle);
      for (const [value = ""] of row.values()) group.length += value.length + 100;
      const isFirst = first(row, "title") !== undefined && group.product === undefined;
      if (isFirst) group.product = row;
      const image = first(row, "image");
      if (image !== undefined && group.images.length < maxImages && !group.images.includes(image))
        group.images.push(image);
      const isVariant = [first(row, "price"), skuOf(row), row.get("option1_value")?.[0]].some(Boolean);
      if (isFirst || isVariant) group.variants.push({ line, row });
      return rows;
    },
    end: flush,
    keyOf(values: readonly string[]) {
      const row = toRecord(names, values);
      const handle = first(row, "handle");
      if (handle === undefined) return skuOf(row);
      const product = handle === group?.handle ? group.product : undefined;
      return skuOf(row) ?? idOf(row, product ?? row, handle, noSkus);
    },
  };
}

function first(row: MerchantRecord, column: Column): string | undefined {
  for (const name of columns[column]) {
    const [value] = row.get(name) ?? [];
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Fields of a category whose values end with numbers of their own, as in `us-7`. */
const numberedFields = /size|age|number|count|capacity|grade|power|voltage|memory|storage/;

/**
 * The export has the handles of these values instead of their names. Shopify makes a handle from the name: in lower case, with
 * hyphens, and with a number if another one has the same, as in `light-grey-7`.
 */
function nameOfHandle(handle: string, field: string): string {
  if (!/^[\p{Ll}\p{N}]+(-[\p{Ll}\p{N}]+)*$/u.test(handle) || !/\p{Ll}/u.test(handle)) return handle;
  const plain = numberedFields.test(field) ? handle : handle.replace(/(-\d{1,3})+$/, "");
  const words = plain.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function listed(text: string, separator: string): string[] {
  return text.split(separator).map((value) => value.trim());
}

function toWrittenColumns(written: readonly string[], names: readonly string[]): Map<string, string> {
  const byField = new Map<string, string>();
  for (const [field, column] of Object.entries(fieldColumns)) {
    const at = names.findIndex((name) => column !== undefined && columns[column].some((one) => one === name));
    byField.set(field, written[at] ?? field);
  }
  return byField;
}

/** Of the fields that belong to a category of Shopify's taxonomy, as in `Color (product.metafields.shopify.color-pattern)`. */
function categoryMetafields(written: readonly string[], names: readonly string[]) {
  return written.flatMap((column, at) => {
    const bracket = column.endsWith(")") ? column.lastIndexOf("(product.metafields.shopify.") : -1;
    const label = column.slice(0, Math.max(0, bracket)).trim();
    const name = names[at];
    return label === "" || name === undefined ? [] : [{ name, label, field: column.slice(bracket + 1, -1) }];
  });
}

/** A product without variants has one option that is called so. */
const noOption = "default title";

function optionsOf(row: MerchantRecord, product: MerchantRecord): [string, string][] {
  return [1, 2, 3].flatMap((number): [string, string][] => {
    const [value] = row.get(`option${number}_value`) ?? [];
    const [name] = row.get(`option${number}_name`) ?? product.get(`option${number}_name`) ?? [];
    if (value === undefined || name === undefined || value.toLowerCase() === noOption) return [];
    return [[name, value]];
  });
}

/** Spreadsheets get an apostrophe before digits, so that they do not read them as a number. */
function withoutApostrophe(text: string | undefined): string | undefined {
  return text?.replace(/^'(?=[\d=+@-])/, "");
}

function skuOf(row: MerchantRecord): string | undefined {
  return withoutApostrophe(first(row, "sku"));
}

/** For a row whose SKU another product has. */
const noSkus: ReadonlyMap<string, number> = new Map();

/** The SKU, unless other variants or products have the same. */
function idOf(
  row: MerchantRecord,
  product: MerchantRecord,
  handle: string,
  skus: ReadonlyMap<string, number>,
): string {
  const sku = skuOf(row);
  if (sku !== undefined && skus.get(sku) === 1) return sku;
  return [handle, ...optionsOf(row, product).map(([, value]) => value)].join("/");
}

function countOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function pricesOf(row: MerchantRecord): { price?: string; sale_price?: string } {
  const price = first(row, "price");
  const former = first(row, "formerPrice");
  if (price !== undefined && Number(former) > Number(price) && former !== undefined)
    return { price: former, sale_price: price };
  return price === undefined ? {} : { price };
}

/** Without a tracker, Shopify sells a variant whatever its quantity is. */
function availabilityOf(row: MerchantRecord, hasTracker: boolean): string {
  const available = first(row, "available");
  if (available !== undefined) return available === "false" ? "out_of_stock" : "in_stock";
  const quantity = first(row, "quantity");
  const isTracked = quantity !== undefined && (!hasTracker || first(row, "tracker") !== undefined);
  if (!isTracked || !(Number(quantity) <= 0)) return "in_stock";
  return /^(continue|true|yes)$/i.test(first(row, "whenSoldOut") ?? "") ? "backorder" : "out_of_stock";
}

function isHidden(product: MerchantRecord): boolean {
  const status = first(product, "status") ?? "active";
  return status.toLowerCase() !== "active" || first(product, "published")?.toLowerCase() === "false";
}

/** The path in Shopify's taxonomy, then the shop's own type; a code of the taxonomy only if there is nothing else. */
function categoriesOf(product: MerchantRecord): {
  product_type?: string[];
  google_product_category?: string;
} {
  const category = first(product, "category");
  const type = first(product, "type");
  const google = first(product, "googleCategory");
  const isCode = category !== undefined && /^(gid:\/\/.*|[a-z]{2}(-\d+)*|\d+)$/.test(category);
  const path = isCode && (type !== undefined || google !== undefined) ? undefined : category;
  const isSame = path?.split(">").at(-1)?.trim().toLowerCase() === type?.toLowerCase();
  const paths = [path, isSame ? undefined : type].filter((one) => one !== undefined);
  if (paths.length > 0) return { product_type: paths };
  return google === undefined ? {} : { google_product_category: google };
}
