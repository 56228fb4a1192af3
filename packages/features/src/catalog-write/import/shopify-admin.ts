import { pause } from "@product-search/core/mechanisms/retry.ts";
import { FeedError } from "@product-search/feeds/formats/feed-row.ts";
import { type Item, isItem, type Requests } from "./shop-requests.ts";

// Shopify's Admin API: https://shopify.dev/docs/api/usage/bulk-operations/queries

const path = "/admin/api/2026-07/graphql.json";

const pictures = "media { edges { node { ... on MediaImage { image { url } } } } }";
const allProducts = `{ products { edges { node {
  id handle title descriptionHtml vendor productType status publishedAt tags category { fullName } options { name } ${pictures}
  variants { edges { node {
    id sku price compareAtPrice barcode inventoryQuantity inventoryPolicy inventoryItem { tracked } selectedOptions { value } ${pictures}
  } } }
} } } }`;
const startReading = `mutation ($query: String!) {
  bulkOperationRunQuery(query: $query, groupObjects: true) { bulkOperation { id } userErrors { message } }
}`;
const findOperation = `query ($id: ID!) {
  node(id: $id) { ... on BulkOperation { status errorCode url fileSize } }
}`;

const pollMs = 5000;
/** Half an hour. */
const maxPolls = 360;
const downloadTimeoutMs = 3_600_000;
const maxFileBytes = 8 * 1024 ** 3;
/** One product or variant. */
const maxLineLength = 4_000_000;

export interface AdminReading {
  shop: { name: unknown; currency: unknown; url: unknown };
  /** In the shape of `products.json`, with drafts, categories and stock. */
  products: AsyncIterable<Item>;
}

/** All products of a shop, also those that it does not show. Shopify writes them into a file, which is read then. */
export async function readShopifyAdmin(
  requests: Requests,
  token: string,
  { pollPauseMs = pollMs }: { pollPauseMs?: number | undefined },
  signal: AbortSignal,
): Promise<AdminReading> {
  const place = requests.placeOf(path);
  const ask = (query: string, variables: Item = {}) => askApi(requests, token, query, variables);
  const { shop } = await ask("{ shop { name currencyCode primaryDomain { url } } }");
  const { name, currencyCode, primaryDomain } = isItem(shop) ? shop : {};

  async function finishedFile(): Promise<{ url: string; size: number } | undefined> {
    const { bulkOperationRunQuery: started } = await ask(startReading, { query: allProducts });
    const { bulkOperation, userErrors } = isItem(started) ? started : {};
    const { id } = isItem(bulkOperation) ? bulkOperation : {};
    if (typeof id !== "string")
      throw new FeedError(
        `${place} does not list the products: ${messagesOf(userErrors)}. Nothing was changed.`,
      );
    for (let poll = 0; poll < maxPolls; poll += 1) {
      const { node } = await ask(findOperation, { id });
      const { status, errorCode, url, fileSize } = isItem(node) ? node : {};
      if (status === "COMPLETED")
        return typeof url === "string" ? { url, size: Number(fileSize) } : undefined;
      if (status !== "CREATED" && status !== "RUNNING")
        throw new FeedError(
          `${place} has not listed the products: ${String(status)} ${String(errorCode ?? "")}. Nothing was changed.`,
        );
      await pause(pollPauseMs, signal);
    }
    throw new FeedError(`${place} has not listed the products after half an hour. Nothing was changed.`);
  }

  async function* products() {
    const file = await finishedFile();
    if (file === undefined) return;
    const timeouts = { timeoutMs: downloadTimeoutMs, maxResponseBytes: maxFileBytes };
    const response = await requests.send({ url: file.url, ...timeouts });
    if (response.status !== 200) {
      response.discard();
      throw new FeedError(
        `The file of the shop's products responded with status ${response.status}. Nothing was changed.`,
      );
    }
    yield* toProducts(linesOf(response.body, file.size));
  }

  return {
    shop: { name, currency: currencyCode, url: isItem(primaryDomain) ? primaryDomain.url : undefined },
    products: products(),
  };
}

/** The data of a response. A shop that is busy says so in a response like any other. */
async function askApi(requests: Requests, token: string, query: string, variables: Item): Promise<Item> {
  const url = requests.placeOf(path);
  for (let tries = 1; ; tries += 1) {
    const response = await requests.send({
      url,
      method: "POST",
      headers: { "content-type": "application/json", "x-shopify-access-token": token },
      body: JSON.stringify({ query, variables }),
    });
    const { status } = response;
    if (status !== 200) {
      response.discard();
      const remedy = [401, 403].includes(status)
        ? "The token of this shop in SHOPIFY_ADMIN_TOKENS is not valid, or lacks the scope read_products."
        : "The address of the shop must be that of the Admin API, such as shopify:https://name.myshopify.com.";
      throw new FeedError(`${url} responded with status ${status} instead of 200. ${remedy}`);
    }
    const body = requests.parse(await response.bytes(), url);
    const { data, errors } = isItem(body) ? body : {};
    if (isItem(data) && errors === undefined) return data;
    const isBusy = itemsIn(errors).some(
      ({ extensions }) => isItem(extensions) && extensions.code === "THROTTLED",
    );
    if (!isBusy) throw new FeedError(`${url} reports: ${messagesOf(errors)}. Nothing was changed.`);
    await requests.wait(url, "is busy", tries);
  }
}

function messagesOf(errors: unknown): string {
  const messages = itemsIn(errors).map(({ message }) => String(message));
  return messages.length === 0 ? "no reason" : messages.join("; ").slice(0, 300);
}

/** Fails if the file ends early: what is cut between two lines looks whole. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxLineLength)
      throw new FeedError("The file of the shop's products has a line that is too long.");
    yield* lines;
  }
  if (bytes !== size)
    throw new FeedError(
      `The file of the shop's products has ${bytes} bytes, and ${size} were announced. Nothing was changed.`,
    );
  yield rest;
}

/** Each product with its variants and pictures, which are the lines below it. */
async function* toProducts(lines: AsyncIterable<string>): AsyncGenerator<Item> {
  let product: Item | undefined;
  const children = new Map<unknown, Item[]>();
  const below = ({ id }: Item) => children.get(id) ?? [];
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const item = parsedLine(line);
    const { __parentId: parent, id } = item;
    if (parent === undefined) {
      if (product !== undefined) yield toPublicShape(product, below);
      product = item;
      children.clear();
    }
    const siblings = children.get(parent);
    if (parent !== undefined && siblings === undefined)
      throw new FeedError(
        `The file of the shop's products has a line whose parent ${String(parent)} is not above it.`,
      );
    siblings?.push(item);
    if (id !== undefined) children.set(id, []);
  }
  if (product !== undefined) yield toPublicShape(product, below);
}

function parsedLine(line: string): Item {
  try {
    const item: unknown = JSON.parse(line);
    if (isItem(item)) return item;
  } catch {
    // Said below.
  }
  throw new FeedError(
    "The file of the shop's products has a line that is no JSON object. Nothing was changed.",
  );
}

function toPublicShape(product: Item, below: (item: Item) => Item[]): Item {
  const { handle, title, vendor, tags, options, category } = product;
  const imagesOf = (item: Item) =>
    below(item).flatMap(({ image }) => (isItem(image) ? { src: image.url } : []));
  const variants = below(product).filter(({ selectedOptions }) => Array.isArray(selectedOptions));
  return {
    ...{ handle, title, vendor, tags, options },
    body_html: product.descriptionHtml,
    product_type: product.productType,
    ...(isItem(category) && { product_category: category.fullName }),
    status: String(product.status).toLowerCase(),
    published_at: product.publishedAt,
    images: imagesOf(product),
    variants: variants.map((variant) => {
      const { sku, price, barcode, inventoryItem, inventoryPolicy, selectedOptions } = variant;
      const values = itemsIn(selectedOptions).map(({ value }, at) => [`option${at + 1}`, value]);
      return {
        ...Object.fromEntries(values),
        ...{ sku, price, barcode, compare_at_price: variant.compareAtPrice },
        inventory_management: isItem(inventoryItem) && inventoryItem.tracked === true ? "shopify" : null,
        inventory_quantity: variant.inventoryQuantity,
        inventory_policy: String(inventoryPolicy).toLowerCase(),
        featured_image: imagesOf(variant)[0] ?? null,
      };
    }),
  };
}

function itemsIn(values: unknown): Item[] {
  return Array.isArray(values) ? values.filter(isItem) : [];
}
