import type { FeedRow, NativeRecord, TableLayout, UnusedColumns } from "../formats/feed-row.ts";
import { createShopifyProducts } from "./shopify.ts";
import { createWooCommerceProducts } from "./woocommerce.ts";

type Row = Map<string, string[]>;

interface ProductRows {
  push(line: number, row: Row): FeedRow[];
  end(): FeedRow[];
}

interface ShopApi {
  name: string;
  isProduct(record: NativeRecord): boolean;
  create(): ProductRows;
  /** Members that are lists of objects, of which some members are read. */
  parts: readonly string[];
  /** A product as the rows that the shop's export would have for it. */
  toRows(record: NativeRecord): Row[];
}

/** Shopify's `products.json`; its Admin API is read into the same shape, with stock and a category. */
const shopifyApi: ShopApi = {
  name: "Shopify's products.json",
  isProduct: ({ handle, title, variants }) =>
    typeof handle === "string" && typeof title === "string" && Array.isArray(variants),
  create: createShopifyProducts,
  parts: ["variants", "images"],
  toRows: shopifyRows,
};

/** WooCommerce's Store API and its REST API: https://developer.woocommerce.com/docs/apis/store-api/resources-endpoints/products */
const wooCommerceApi: ShopApi = {
  name: "WooCommerce's products",
  isProduct: ({ name, permalink, prices, stock_status: status, type, variation }) =>
    typeof name === "string" &&
    typeof permalink === "string" &&
    (isRecord(prices) || typeof status === "string") &&
    (typeof type === "string" || typeof variation === "string"),
  create: createWooCommerceProducts,
  parts: ["images"],
  toRows: (record) => [wooCommerceRow(record)],
};

const shopApis: readonly ShopApi[] = [shopifyApi, wooCommerceApi];

/** Replaces objects that are products of a shop's API with the rows of what can be bought. */
export function createShopProducts(onShop: (layout: Pick<TableLayout, "name" | "unused">) => void) {
  const readers = new Map<ShopApi, ProductRows & { members: MemberCounts }>();
  return {
    push(row: FeedRow): FeedRow[] {
      if (!("own" in row)) return [row];
      const { own, line } = row;
      const api = shopApis.find(({ isProduct }) => isProduct(own));
      if (api === undefined) return [row];
      const reader = readers.get(api) ?? { ...api.create(), members: countMembers(api) };
      if (!readers.has(api)) onShop({ name: api.name, unused: reader.members });
      readers.set(api, reader);
      return api.toRows(reader.members.add(own)).flatMap((one) => reader.push(line, one));
    },
    end: (): FeedRow[] => [...readers.values()].flatMap((reader) => reader.end()),
  };
}

type MemberCounts = UnusedColumns & { add(product: NativeRecord): NativeRecord };

const maxNames = 1000;

/** In how many products each member has a value, without those that are read. */
function countMembers({ parts }: ShopApi): MemberCounts {
  const counts = new Map<string, number>();
  const readNames = new Set<string>();
  const noteReads = (record: NativeRecord, prefix: string) =>
    new Proxy(record, {
      get(target, name) {
        readNames.add(`${prefix}${String(name)}`);
        return Reflect.get(target, name);
      },
    });
  const filledNames = (record: NativeRecord, prefix: string) =>
    Object.entries(record).flatMap(([name, value]) => (isEmpty(value) ? [] : `${prefix}${name}`));
  return {
    rows: 0,
    get columns() {
      return [...counts].flatMap(([column, filled]) => (readNames.has(column) ? [] : { column, filled }));
    },
    add(product) {
      this.rows += 1;
      const lists = parts.map((part) => [part, recordsIn(product[part])] as const);
      const ofParts = lists.flatMap(([part, list]) => list.flatMap((one) => filledNames(one, `${part}.`)));
      for (const name of new Set([...filledNames(product, ""), ...ofParts]))
        if (counts.has(name) || counts.size < maxNames) counts.set(name, (counts.get(name) ?? 0) + 1);
      const noted = lists.map(([part, list]) => [part, list.map((one) => noteReads(one, `${part}.`))]);
      return noteReads({ ...product, ...Object.fromEntries(noted) }, "");
    },
  };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

function shopifyRows(product: NativeRecord): Row[] {
  const variants = recordsIn(product.variants);
  const options = recordsIn(product.options);
  const images = recordsIn(product.images);
  const shared = rowOf({
    title: product.title,
    body_html: product.body_html,
    vendor: product.vendor,
    product_category: product.product_category,
    type: product.product_type,
    tags: Array.isArray(product.tags) ? product.tags.join(",") : product.tags,
    status: product.status,
    published: product.published_at === null ? "false" : undefined,
    published_at: product.published_at,
    ...Object.fromEntries(options.map(({ name }, at) => [`option${at + 1}_name`, name])),
  });
  const rows = variants.map((variant) => {
    const { featured_image: ownImage, image_id: imageId, available } = variant;
    const image = isRecord(ownImage) ? ownImage : images.find(({ id }) => id === imageId && id !== undefined);
    return rowOf({
      ...Object.fromEntries([1, 2, 3].map((at) => [`option${at}_value`, variant[`option${at}`]])),
      sku: variant.sku,
      price: variant.price,
      compare_at_price: variant.compare_at_price,
      barcode: variant.barcode,
      inventory_tracker: variant.inventory_management,
      inventory_quantity: variant.inventory_quantity,
      continue_selling_when_out_of_stock: variant.inventory_policy,
      available,
      variant_image: image?.src,
    });
  });
  const [first = new Map(), ...others] = rows;
  const withImages = images.map(({ src }) => rowOf({ image_src: src }));
  return [new Map([...first, ...shared]), ...others, ...withImages].map((row) =>
    row.set("handle", [String(product.handle)]),
  );
}

function wooCommerceRow(product: NativeRecord): Row {
  const attributes = recordsIn(product.attributes);
  const {
    parent,
    parent_id: parentId = parent,
    is_in_stock: inStock,
    is_on_backorder: onBackorder,
  } = product;
  const ofVariation = variationPairs(product.variation).map(([name, value]) => ({ name, options: [value] }));
  const pairs: NativeRecord[] = ofVariation.length > 0 ? ofVariation : attributes;
  return rowOf({
    id: product.id,
    type: product.type,
    sku: product.sku,
    name: product.name,
    gtin: product.global_unique_id,
    published: product.status === undefined || product.status === "publish" ? "1" : "0",
    visibility_in_catalog: product.catalog_visibility,
    short_description: product.short_description,
    description: product.description,
    "in_stock?":
      product.stock_status ?? (inStock === false ? "0" : onBackorder === true ? "onbackorder" : "1"),
    ...pricesOf(product),
    categories: listed(product.categories, "path", "name"),
    tags: listed(product.tags, "name"),
    brands: listed(product.brands, "name"),
    images: listed(product.images, "src"),
    parent: parentId === undefined || parentId === 0 ? undefined : `id:${String(parentId)}`,
    external_url: product.permalink,
    date_created: product.date_created_gmt ?? product.date_created,
    average_rating: Number(product.average_rating) > 0 ? product.average_rating : undefined,
    review_count: product.review_count ?? product.rating_count,
    ...Object.fromEntries(
      pairs.flatMap(({ name, terms, options, option, visible }, at) => [
        [`attribute_${at + 1}_name`, name],
        [
          `attribute_${at + 1}_value(s)`,
          listed(terms ?? options ?? (option === undefined ? [] : [option]), "name"),
        ],
        [`attribute_${at + 1}_visible`, visible === false ? "0" : "1"],
      ]),
    ),
  });
}

/** The Store API has amounts in the smallest unit of the currency, the REST API as decimals. */
function pricesOf(product: NativeRecord): Record<string, unknown> {
  const { prices } = product;
  if (!isRecord(prices))
    return { regular_price: product.regular_price || product.price, sale_price: product.sale_price };
  const digits = Number(prices.currency_minor_unit ?? 2);
  const amount = (value: unknown) =>
    /^\d{1,15}$/.test(String(value)) && digits >= 0 && digits <= 4
      ? (Number(value) / 10 ** digits).toFixed(digits)
      : value;
  const isReduced = prices.sale_price !== prices.regular_price && prices.price === prices.sale_price;
  return {
    currency: prices.currency_code,
    regular_price: amount(isReduced ? prices.regular_price : prices.price),
    ...(isReduced && { sale_price: amount(prices.sale_price) }),
  };
}

/** What a variation of the Store API is chosen by, as in `Color: Red / Size: M`. */
function variationPairs(variation: unknown): [string, string][] {
  if (typeof variation !== "string" || variation === "") return [];
  return variation.split(/ \/ |, (?=[^:,]+: )/).flatMap((pair): [string, string][] => {
    const [name = "", ...value] = pair.split(": ");
    return value.length === 0 ? [] : [[name.trim(), value.join(": ").trim()]];
  });
}

/** As WooCommerce's export has lists: separated by commas, with `\,` for a comma in a value. */
function listed(values: unknown, ...members: string[]): string | undefined {
  if (!Array.isArray(values)) return undefined;
  const texts = values.flatMap((value: unknown) => {
    const record = isRecord(value) ? value : {};
    const text =
      typeof value === "string"
        ? value
        : members.map((name) => record[name]).find((one) => one !== undefined);
    return typeof text === "string" ? text.replaceAll(",", "\\,") : [];
  });
  return texts.join(",");
}

/** A row as of a table: texts alone, without what is empty. */
function rowOf(values: Record<string, unknown>): Row {
  const texts = Object.entries(values).flatMap(([name, value]): [string, string[]][] =>
    ["string", "number", "boolean"].includes(typeof value) && String(value).trim() !== ""
      ? [[name, [String(value).trim()]]]
      : [],
  );
  return new Map(texts);
}

function recordsIn(values: unknown): NativeRecord[] {
  return Array.isArray(values) ? values.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
