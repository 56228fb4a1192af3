import { createHash } from "node:crypto";
import type { ShopAddress, ShopPlatform } from "@product-search/core/domain/urls.ts";
import type { FeedVersion } from "@product-search/core/ports/imports.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import { FeedError } from "@product-search/feeds/formats/feed-row.ts";
import { createRequests, type Item, isItem, type Requests, type ShopPace } from "./shop-requests.ts";
import { readShopifyAdmin } from "./shopify-admin.ts";

export interface OpenFeed {
  chunks: AsyncIterable<Uint8Array>;
  /** Undefined if the server does not say. */
  totalBytes?: number;
  /** Only for feeds from a URL; known when all was read. */
  version?(): FeedVersion;
  /** Whether all that was read is what was imported last. */
  isUnchanged?(): boolean;
  /** What the feed says of all its rows. */
  settings?: { site?: string; storeName?: string };
}

export interface OpenShopDeps {
  outboundHttp: OutboundHttp;
  currency: string;
  /** For the Admin API of Shopify, by the host of the shop. */
  shopTokens?: Readonly<Record<string, string>> | undefined;
}

/** Shopify lists no more than 25 000 products. */
const maxShopifyPages = 100;
const maxWooCommercePages = 1000;
/** What is kept of a read: a hash of all products, and the ETag of each page if all have one. */
interface KnownVersion {
  hash?: string;
  pages?: [path: string, etag: string][];
}

/** All products of a shop from its platform, in public or with a token; `undefined` if none of them has changed. */
export async function openShop(
  { outboundHttp, currency, shopTokens = {} }: OpenShopDeps,
  shop: ShopAddress,
  lastVersion: FeedVersion | undefined,
  pace: ShopPace,
  signal: AbortSignal,
): Promise<OpenFeed | undefined> {
  const requests = createRequests(outboundHttp, shop, pace, signal);
  const known = knownVersion(lastVersion);
  const token = shop.platform === "shopify" ? shopTokens[new URL(shop.url).host] : undefined;
  if (token === undefined && (await requests.areUnchanged(known.pages ?? []))) return undefined;
  const { pages, settings } =
    token === undefined
      ? await readers[shop.platform](requests, currency, shop)
      : await readWithToken(requests, currency, shop, token, pace, signal);
  const hash = createHash("sha256");
  let digest: string | undefined;
  async function* chunks() {
    for await (const page of pages) {
      const text = page.map((item) => `${JSON.stringify(item)}\n`).join("");
      hash.update(text);
      yield Buffer.from(text);
    }
    digest = hash.digest("base64");
  }
  return {
    chunks: chunks(),
    settings,
    isUnchanged: () => digest !== undefined && digest === known.hash,
    version() {
      const etags = requests.etags();
      const read: KnownVersion = { ...(digest && { hash: digest }), ...(etags && { pages: etags }) };
      const etag = JSON.stringify(read);
      return { url: `${shop.platform}:${shop.url}`, etag };
    },
  };
}

function knownVersion(version: FeedVersion | undefined): KnownVersion {
  if (version?.etag === undefined) return {};
  try {
    return JSON.parse(version.etag);
  } catch {
    return {};
  }
}

interface Reading {
  pages: AsyncIterable<Item[]>;
  settings: { site?: string; storeName?: string };
}

const readers: Record<
  ShopPlatform,
  (requests: Requests, currency: string, shop: ShopAddress) => Promise<Reading>
> = { shopify: readShopify, woocommerce: readWooCommerce };

/** https://shopify.dev/docs/storefronts/themes: the pages are those of every shop that has no password. */
async function readShopify(requests: Requests, currency: string, { url }: ShopAddress): Promise<Reading> {
  const { body: meta } = await requests.get("/meta.json");
  const { currency: shopCurrency, name } = isItem(meta) ? meta : {};
  checkCurrency(url, shopCurrency, currency);
  const pathOf = (page: number) => `/products.json?limit=250&page=${page}`;
  const itemsOf = (body: unknown) =>
    isItem(body) && Array.isArray(body.products) ? body.products : undefined;
  return {
    pages: pagesOf(requests, pathOf, itemsOf, { maxPages: maxShopifyPages }),
    settings: settingsOf(url, name),
  };
}

async function readWithToken(
  requests: Requests,
  currency: string,
  { url }: ShopAddress,
  token: string,
  pace: ShopPace,
  signal: AbortSignal,
): Promise<Reading> {
  const { shop, products } = await readShopifyAdmin(requests, token, pace, signal);
  checkCurrency(url, shop.currency, currency);
  async function* pages() {
    for await (const product of products) yield [product];
  }
  return { pages: pages(), settings: settingsOf(shop.url ?? url, shop.name) };
}

function settingsOf(site: unknown, name: unknown): Reading["settings"] {
  return {
    ...(typeof site === "string" && { site }),
    ...(typeof name === "string" && name.trim() !== "" && { storeName: name }),
  };
}

/** https://developer.woocommerce.com/docs/apis/store-api: products first, then the variations, which name their parents. */
async function readWooCommerce(requests: Requests, currency: string, { url }: ShopAddress): Promise<Reading> {
  const base = "/wp-json/wc/store/v1/products";
  const list = (more: string) => (page: number) =>
    `${base}${more}per_page=100&page=${page}&orderby=id&order=asc`;
  const itemsOf = (body: unknown) => (Array.isArray(body) ? body : undefined);
  const all = (pathOf: (page: number) => string) =>
    pagesOf(requests, pathOf, itemsOf, { maxPages: maxWooCommercePages, pageSize: 100 });
  const paths = await categoryPaths(requests, `${base}/categories`);
  async function* pages() {
    let isChecked = false;
    for (const more of ["?", "?type=variation&"]) {
      for await (const page of all(list(more))) {
        const [first] = page;
        if (!isChecked && isItem(first?.prices)) checkCurrency(url, first.prices.currency_code, currency);
        isChecked = true;
        yield page.map((item) => withoutMarkup(item, paths));
      }
    }
  }
  return { pages: pages(), settings: {} };
}

/** The path of each category from the top down, by its id. A shop that lists no categories has their names alone. */
async function categoryPaths(requests: Requests, path: string): Promise<Map<unknown, string>> {
  const { body } = await requests.get(`${path}?per_page=0`, [400, 404]);
  const categories = new Map((Array.isArray(body) ? body.filter(isItem) : []).map((one) => [one.id, one]));
  const pathOf = (category: Item | undefined, levels: string[] = []): string[] =>
    category === undefined || levels.length >= 8
      ? levels
      : pathOf(categories.get(category.parent), [String(category.name), ...levels]);
  return new Map([...categories].map(([id, category]) => [id, pathOf(category).join(" > ")]));
}

/** What is not read, and may change with every request. */
function withoutMarkup(item: Item, paths: ReadonlyMap<unknown, string>): Item {
  const { price_html: _, add_to_cart: __, extensions: ___, categories, ...kept } = item;
  const withPath = (category: unknown) =>
    isItem(category) && paths.has(category.id) ? { ...category, path: paths.get(category.id) } : category;
  return { ...kept, categories: Array.isArray(categories) ? categories.map(withPath) : [] };
}

function checkCurrency(url: string, written: unknown, currency: string): void {
  if (typeof written !== "string" || written.trim() === "")
    throw new FeedError(
      `The shop at ${url} does not say its currency. Import a file of its products instead.`,
    );
  if (written.trim().toUpperCase() !== currency)
    throw new FeedError(
      `The shop at ${url} sells in "${written.slice(0, 20)}", and CURRENCY of this deployment is ${currency}.`,
    );
}

/** The pages of a list, until one is empty or the server has said that it was the last. */
async function* pagesOf(
  requests: Requests,
  pathOf: (page: number) => string,
  itemsOf: (body: unknown) => unknown[] | undefined,
  { maxPages, pageSize }: { maxPages: number; pageSize?: number },
): AsyncGenerator<Item[]> {
  const seen = new Set<unknown>();
  for (let page = 1; ; page += 1) {
    const path = pathOf(page);
    // A platform that does not know a list of variations refuses it: their parents are then products.
    const { body, status, totalPages, total } = await requests.get(path, page === 1 ? [400] : []);
    if (status === 400) return;
    const items = itemsOf(body);
    if (items === undefined) throw new FeedError(`${requests.placeOf(path)} holds no list of products.`);
    const records = items.filter(isItem);
    const fresh = records.filter(({ id }) => !seen.has(id));
    if (records.length > 0 && fresh.length === 0)
      throw new FeedError(`${requests.placeOf(path)} repeats what earlier pages had. Nothing was changed.`);
    if (fresh.length > 0 && page > maxPages)
      throw new FeedError(
        `${requests.placeOf(path)} is page ${page}, and at most ${maxPages} are read. Import the shop's own export instead.`,
      );
    for (const { id } of fresh) seen.add(id);
    if (fresh.length > 0) yield fresh;
    const isLast = totalPages === undefined ? items.length < (pageSize ?? 1) : page >= totalPages;
    if (items.length > 0 && !isLast) continue;
    if (total !== undefined && seen.size < total * minListedPart)
      throw new FeedError(
        `${requests.placeOf(path)} announces ${total} products, and only ${seen.size} were listed. Nothing was changed.`,
      );
    return;
  }
}

/** A product may be deleted while the pages are read. */
const minListedPart = 0.9;
