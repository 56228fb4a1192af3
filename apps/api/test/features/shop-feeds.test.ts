import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createImportFixture, type ImportFixture } from "../../testing/import-fixture.ts";

/** A shop that pages, throttles and lies. */
interface Shop {
  currency: string;
  products: Record<string, unknown>[];
  hasEtags?: boolean;
  /** What the Admin API writes into a file. */
  lines?: readonly object[];
  /** So often the file is not ready yet. */
  polls?: number;
  /** Answers before the shop does; true if it has. */
  lie?(request: IncomingMessage, response: ServerResponse, body: string): boolean;
}

let fixture: ImportFixture;
let server: Server;
let origin: string;
let shop: Shop;
let paths: string[];

beforeEach(async () => {
  paths = [];
  fixture = await createImportFixture();
  fixture.deps.fetchPace = { pagePauseMs: 0, firstRetryMs: 5, pollPauseMs: 0 };
  server = createServer(async (request, response) => {
    paths.push(request.url ?? "");
    const body = request.method === "POST" ? await text(request) : "";
    if (shop.lie?.(request, response, body) !== true) answer(request, response, body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await fixture.close();
});

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const { pathname, searchParams } = new URL(request.url ?? "", origin);
  const page = Number(searchParams.get("page"));
  const part = (all: unknown[], size: number) => all.slice((page - 1) * size, page * size);
  const send = (content: unknown, headers: Record<string, string> = {}) => {
    const json = JSON.stringify(content);
    const etag = `"${createHash("sha256").update(json).digest("hex")}"`;
    if (shop.hasEtags && request.headers["if-none-match"] === etag) return response.writeHead(304).end();
    response.writeHead(200, {
      "content-type": "application/json",
      ...(shop.hasEtags && { etag }),
      ...headers,
    });
    return response.end(json);
  };
  if (pathname === adminPath) {
    if (request.headers["x-shopify-access-token"] !== token) return void response.writeHead(401).end();
    return void send({ data: adminData(body) });
  }
  if (pathname === "/all.jsonl") return void response.end(fileOf(shop.lines));
  if (pathname === "/meta.json") return void send({ name: "Clay & Co", currency: shop.currency });
  if (pathname === "/products.json") return void send({ products: part(shop.products, 250) });
  if (pathname.endsWith("/products/categories"))
    return void send([
      { id: 1, name: "Home", parent: 0 },
      { id: 2, name: "Vases", parent: 1 },
    ]);
  if (pathname.endsWith("/wp-json/wc/store/v1/products")) {
    const isVariation = searchParams.get("type") === "variation";
    const all = shop.products.filter(({ type }) => (type === "variation") === isVariation);
    return void send(part(all, 100), {
      "x-wp-total": `${all.length}`,
      "x-wp-totalpages": `${Math.ceil(all.length / 100)}`,
    });
  }
  response.writeHead(404).end();
}

const adminPath = "/admin/api/2026-07/graphql.json";
const token = "shpat_1";
const fileOf = (lines: Shop["lines"] = []) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

function adminData(body: string): object {
  if (body.includes("bulkOperationRunQuery"))
    return {
      bulkOperationRunQuery: { bulkOperation: { id: "gid://shopify/BulkOperation/1" }, userErrors: [] },
    };
  if (!body.includes("BulkOperation/1"))
    return {
      shop: {
        name: "Clay & Co",
        currencyCode: shop.currency,
        primaryDomain: { url: "https://clay.example" },
      },
    };
  shop.polls = (shop.polls ?? 2) - 1;
  if (shop.polls >= 0) return { node: { status: shop.polls > 0 ? "RUNNING" : "CREATED" } };
  const fileSize = String(Buffer.byteLength(fileOf(shop.lines)));
  return {
    node: { status: "COMPLETED", errorCode: null, url: `${origin}/all.jsonl`, fileSize },
  };
}

/** A product of the Admin API, and a variant for each quantity. */
const jug = (id: number, more: Record<string, unknown>, ...variants: Record<string, unknown>[]) => {
  const gid = `gid://shopify/Product/${id}`;
  const product = {
    ...{
      id: gid,
      handle: `jug-${id}`,
      title: `Jug ${id}`,
      vendor: "Clay",
      productType: "Jugs",
      tags: ["new"],
    },
    ...{ descriptionHtml: "<p>Holds water.</p>", status: "ACTIVE", publishedAt: "2026-03-01T14:00:00Z" },
    ...{ category: { fullName: "Home > Kitchen > Jugs" }, options: [{ name: "Glaze" }], ...more },
  };
  const children = variants.flatMap((variant, at) => {
    const own = `gid://shopify/ProductVariant/${id}${at}`;
    return [
      {
        ...{ id: own, sku: `J-${id}-${at}`, price: "25.00", compareAtPrice: null, barcode: "4006381333931" },
        ...{ inventoryQuantity: 3, inventoryPolicy: "DENY", inventoryItem: { tracked: true } },
        ...{ selectedOptions: [{ value: `Teal ${at}` }], ...variant, __parentId: gid },
      },
      { image: { url: `https://cdn.example/${id}-${at}.jpg` }, __parentId: own },
    ];
  });
  return [product, { image: { url: `https://cdn.example/${id}.jpg` }, __parentId: gid }, ...children];
};

const vase = (id: number, price = "25.00") => ({
  ...{ id, title: `Vase ${id}`, handle: `vase-${id}`, vendor: "Clay", product_type: "Vases", tags: ["new"] },
  ...{ published_at: "2026-03-01T09:00:00-05:00", images: [{ id: 1, src: "https://cdn.example/v.jpg" }] },
  variants: [{ id: id * 10, option1: "Teal", sku: `V-${id}`, price, available: id % 2 === 0 }],
  options: [{ name: "Glaze", values: ["Teal"] }],
});
const vases = (count: number) => Array.from({ length: count }, (_, at) => vase(at + 1));

const pot = (id: number, more: Record<string, unknown> = {}) => ({
  ...{ id, name: `Pot ${id}`, type: "simple", sku: `P-${id}`, parent: 0, variation: "" },
  ...{ permalink: `${origin}/pot-${id}`, description: "", is_in_stock: true, is_on_backorder: false },
  ...{
    categories: [{ id: 2, name: "Vases" }],
    images: [],
    attributes: [],
    price_html: `<b>${Math.random()}</b>`,
  },
  prices: {
    price: "1250",
    regular_price: "1250",
    sale_price: "1250",
    currency_code: shop.currency,
    currency_minor_unit: 2,
  },
  ...more,
});
const pots = (count: number) => Array.from({ length: count }, (_, at) => pot(at + 1));

describe("shopify:", () => {
  const run = (more = {}) => fixture.run(`shopify:${origin}`, more);

  test("all pages are products with their pages in the shop, its name and its prices", async () => {
    shop = { currency: "USD", products: vases(530) };
    expect(await run()).toMatchObject({
      created: 530,
      refused: 0,
      ignoredFields: ["id", "variants.id"],
    });
    expect((await fixture.products()).find(({ key }) => key === "V-530")).toMatchObject({
      ...{ name: "Vase 530", priceMinor: 2500, storeName: "Clay & Co", availability: "in_stock" },
      ...{ url: `${origin}/products/vase-530`, groupId: "vase-530", tags: ["new"] },
    });
    expect(paths).toEqual([
      "/meta.json",
      ...[1, 2, 3, 4].map((page) => `/products.json?limit=250&page=${page}`),
    ]);
  });

  test("what has not changed is not imported again: by the hash of all pages, or by their ETags", async () => {
    shop = { currency: "USD", products: vases(300) };
    await run();
    expect(await run()).toMatchObject({ notModified: true, rows: 0 });
    expect(paths).toHaveLength(8);
    shop.hasEtags = true;
    expect(await run({ again: true })).toMatchObject({ unchanged: 300 });
    paths.length = 0;
    expect(await run()).toMatchObject({ notModified: true });
    expect(paths).toHaveLength(4);
    shop.products[299] = vase(300, "20.00");
    expect(await run()).toMatchObject({ notModified: false, updated: 1, unchanged: 299 });
  });

  test("a full read takes what is no longer listed out of stock", async () => {
    shop = { currency: "USD", products: vases(4) };
    await run({ absent: "out_of_stock" });
    shop.products.pop();
    expect(await run({ absent: "out_of_stock" })).toMatchObject({ outOfStock: 1, unchanged: 3 });
  });

  test("a shop that is busy is asked again when it says so", async () => {
    shop = { currency: "USD", products: vases(2) };
    const refusals = [
      [429, "0"],
      [503, undefined],
      [430, new Date().toUTCString()],
    ] as const;
    let at = 0;
    shop.lie = (_, response) => {
      const [status, after] = refusals[at++] ?? [];
      if (status === undefined) return false;
      response.writeHead(status, after === undefined ? {} : { "retry-after": after }).end();
      return true;
    };
    expect(await run()).toMatchObject({ created: 2 });
    expect(paths).toHaveLength(6);
  });

  test.each<[string, Partial<Shop>, RegExp]>([
    ["another currency", { currency: "EUR" }, /sells in "EUR", and CURRENCY of this deployment is USD/],
    ["no currency", { currency: "" }, /does not say its currency/],
    [
      "the same page for ever",
      { lie: lieOn("page=2", JSON.stringify({ products: vases(3) })) },
      /page=2 repeats/,
    ],
    ["pages without end", { lie: endless }, /is page 101, and at most 100 are read/],
    ["broken JSON", { lie: lieOn("page=1", '{"products":[{"id":1,') }, /page=1 holds no JSON/],
    ["a page for people", { lie: lieOn("page=1", "<html>Password</html>") }, /open to everybody/],
    ["another shape", { lie: lieOn("page=1", '{"items":[]}') }, /holds no list of products/],
    ["no products", { products: [] }, /is empty/],
    ["no such pages", { lie: lieOn("meta", "", { status: 404 }) }, /responded with status 404/],
    ["always busy", { lie: lieOn("page=1", "", { status: 429 }) }, /status 429 5 times/],
    [
      "busy for an hour",
      { lie: lieOn("page=1", "", { status: 429, retryAfter: "3600" }) },
      /status 429\. It is asked again/,
    ],
    [
      "a page of 40 MB",
      { lie: lieOn("page=1", `{"products":[${" ".repeat(40_000_000)}]}`) },
      /could not be fetched/,
    ],
  ])("changes nothing if the shop has %s", async (_, fault, message) => {
    shop = { currency: "USD", products: vases(3), ...fault };
    await expect(run({ absent: "out_of_stock" })).rejects.toThrow(message);
    expect(await fixture.products()).toEqual([]);
  });

  test("a shop on a private network is refused like any other address", async () => {
    await expect(fixture.run("shopify:http://10.0.0.1")).rejects.toThrow(/FETCH_ALLOW_NETWORKS/);
    await expect(fixture.run("shopify:https://a.example/x")).rejects.toThrow(/nothing behind its host/);
    shop = {
      currency: "USD",
      products: [],
      lie: (_, response) => !!response.writeHead(302, { location: "http://192.168.0.1/" }).end(),
    };
    await expect(run()).rejects.toThrow(/could not be fetched/);
  });

  test("a saved name of the store comes before the shop's own", async () => {
    shop = { currency: "USD", products: vases(1) };
    await run({ storeName: "Our vases" });
    expect(await run({ again: true })).toMatchObject({ unchanged: 1 });
    expect(await fixture.products()).toMatchObject([{ storeName: "Our vases" }]);
  });
});

describe("shopify: with a token of the Admin API", () => {
  const run = (more = {}) => fixture.run(`shopify:${origin}`, more);
  beforeEach(() => {
    fixture.deps.shopTokens = { [new URL(origin).host]: token };
  });
  const jugs = () => [
    ...jug(1, {}, {}, { inventoryQuantity: 0 }, { inventoryQuantity: -2, inventoryPolicy: "CONTINUE" }),
    ...jug(2, {}, { inventoryQuantity: 0, inventoryItem: { tracked: false } }),
  ];

  test("products have their stock, their category and their page in the shop", async () => {
    shop = { currency: "USD", products: [], lines: jugs() };
    expect(await run()).toMatchObject({ created: 4, refused: 0, ignoredFields: [] });
    const products = (await fixture.products()).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    expect(products.map(({ key, availability }) => [key, availability])).toEqual([
      ["J-1-0", "in_stock"],
      ["J-1-1", "out_of_stock"],
      ["J-1-2", "backorder"],
      ["J-2-0", "in_stock"],
    ]);
    expect(products[0]).toMatchObject({
      ...{
        name: "Jug 1",
        priceMinor: 2500,
        storeName: "Clay & Co",
        gtin: "04006381333931",
        groupId: "jug-1",
      },
      ...{ url: "https://clay.example/products/jug-1", tags: ["new"], attributes: { glaze: ["Teal 0"] } },
      categoryPaths: [["Home", "Kitchen", "Jugs"]],
      images: ["https://cdn.example/1-0.jpg", "https://cdn.example/1.jpg"],
    });
    expect(paths).toEqual([...Array.from({ length: 5 }, () => adminPath), "/all.jsonl"]);
    expect(await run()).toMatchObject({ notModified: true });
  });

  test("a draft is not imported, and deleted if it was shown before", async () => {
    shop = { currency: "USD", products: [], lines: jugs() };
    await run();
    const hidden = [
      jug(1, { status: "DRAFT" }, {}, {}, {}),
      jug(2, { publishedAt: null }, {}),
      jug(3, { status: "ARCHIVED" }, {}),
    ];
    shop.lines = [...hidden.flat(), ...jug(4, {}, {})];
    expect(await run()).toMatchObject({ created: 1, unpublished: 5, removed: 4 });
    expect((await fixture.products()).map(({ key }) => key)).toEqual(["J-4-0"]);
  });

  test("an API that is busy is asked again, in each of its ways to say so", async () => {
    shop = { currency: "USD", products: [], lines: jugs() };
    const throttled = JSON.stringify({
      errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }],
    });
    const refusals: [number, string][] = [
      [200, throttled],
      [429, ""],
      [503, ""],
    ];
    shop.lie = (_, response) => {
      const [status, body] = refusals.pop() ?? [];
      if (status !== undefined) response.writeHead(status).end(body);
      return status !== undefined;
    };
    expect(await run()).toMatchObject({ created: 4 });
  });

  const data = (node: object) => JSON.stringify({ data: { node } });
  test.each<[string, Partial<Shop>, RegExp]>([
    ["another currency", { currency: "EUR" }, /sells in "EUR"/],
    ["another token", { lie: lieOn("graphql", "", { status: 401 }) }, /status 401.*SHOPIFY_ADMIN_TOKENS/],
    ["another address", { lie: lieOn("graphql", "", { status: 301 }) }, /status 301.*name\.myshopify\.com/],
    [
      "no products",
      { lie: lieOn("graphql", data({ status: "COMPLETED", url: null }), { sent: "Operation/1" }) },
      /is empty/,
    ],
    [
      "a list that fails",
      { lie: lieOn("graphql", data({ status: "FAILED", errorCode: "TIMEOUT" }), { sent: "Operation/1" }) },
      /FAILED TIMEOUT/,
    ],
    ["a list that is never ready", { polls: 1000 }, /after half an hour/],
    [
      "a list that is being made already",
      {
        lie: lieOn(
          "graphql",
          JSON.stringify({
            data: {
              bulkOperationRunQuery: { bulkOperation: null, userErrors: [{ message: "in progress" }] },
            },
          }),
          { sent: "RunQuery" },
        ),
      },
      /does not list the products: in progress/,
    ],
    [
      "no right to list",
      { lie: lieOn("graphql", JSON.stringify({ errors: [{ message: "Access denied" }] })) },
      /reports: Access denied/,
    ],
    ["no JSON", { lie: lieOn("graphql", "<html>") }, /holds no JSON/],
    ["always busy", { lie: lieOn("graphql", "", { status: 429 }) }, /status 429 5 times/],
    [
      "a file that is gone",
      { lie: lieOn("jsonl", "", { status: 404 }) },
      /file of the shop's products responded with status 404/,
    ],
    [
      "a file that ends early",
      { lie: lieOn("jsonl", fileOf(jug(1, {}, {}).slice(0, 1))) },
      /bytes, and \d+ were announced/,
    ],
    ["a file of something else", { lines: [[1] as never] }, /no JSON object/],
    ["variants without a product", { lines: jug(1, {}, {}).slice(1) }, /parent gid:\S+ is not above it/],
    [
      "a file on a private network",
      {
        lie: lieOn("graphql", data({ status: "COMPLETED", url: "http://10.0.0.1/", fileSize: "1" }), {
          sent: "Operation/1",
        }),
      },
      /FETCH_ALLOW_NETWORKS/,
    ],
  ])("changes nothing if the shop has %s", async (_, fault, message) => {
    shop = { currency: "USD", products: [], lines: jugs(), ...fault };
    const error = await run({ absent: "out_of_stock" }).then(() => expect.fail("imported"), String);
    expect(error).toMatch(message);
    expect(error).not.toContain(token);
    expect(await fixture.products()).toEqual([]);
  });
});

describe("woocommerce:", () => {
  const run = (more = {}) => fixture.run(`woocommerce:${origin}/shop`, more);

  test("all pages are products, variations with what their parent has", async () => {
    shop = { currency: "USD", products: [] };
    shop.products = [
      ...pots(250),
      pot(900, {
        type: "variable",
        sku: "set",
        attributes: [{ name: "Size", has_variations: true, terms: [{ name: "M" }] }],
      }),
      pot(901, { type: "variation", sku: "set-m", parent: 900, variation: "Size: M" }),
    ];
    expect(await run()).toMatchObject({ created: 251, refused: 0 });
    const byKey = new Map((await fixture.products()).map((product) => [product.key, product]));
    expect(byKey.get("P-250")).toMatchObject({
      ...{
        priceMinor: 1250,
        category: "Vases",
        categoryPaths: [["Home", "Vases"]],
        url: `${origin}/pot-250`,
      },
    });
    expect(byKey.get("set-m")).toMatchObject({ groupId: "set", attributes: { size: ["M"] } });
    expect(await run()).toMatchObject({ notModified: true });
  });

  test("a platform that lists no variations has their parents as products", async () => {
    shop = { currency: "USD", products: [] };
    shop.products = [pot(900, { type: "variable", sku: "set" })];
    shop.lie = lieOn("type=variation", "", { status: 400 });
    expect(await run()).toMatchObject({ created: 1 });
  });

  test.each<[string, Partial<Shop>, RegExp]>([
    ["another currency", { currency: "EUR" }, /sells in "EUR"/],
    ["fewer products than it says", { lie: fewer }, /announces 500 products, and only 3 were listed/],
    ["broken JSON", { lie: lieOn("page=1", "[{") }, /holds no JSON/],
  ])("changes nothing if the shop has %s", async (_, fault, message) => {
    shop = { currency: "USD", products: [], ...fault };
    shop.products = pots(3);
    await expect(run()).rejects.toThrow(message);
    expect(await fixture.products()).toEqual([]);
  });
});

/** In requests for this part of the shop, and with this text if it is given. */
function lieOn(
  part: string,
  body: string,
  { status = 200, retryAfter, sent = "" }: { status?: number; retryAfter?: string; sent?: string } = {},
): NonNullable<Shop["lie"]> {
  return (request, response, received) => {
    if (!request.url?.includes(part) || !received.includes(sent)) return false;
    response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end(body);
    return true;
  };
}

function endless(request: IncomingMessage, response: ServerResponse): boolean {
  const [, page] = /page=(\d+)/.exec(request.url ?? "") ?? [];
  if (page !== undefined) response.end(JSON.stringify({ products: [vase(Number(page))] }));
  return page !== undefined;
}

function fewer(request: IncomingMessage, response: ServerResponse): boolean {
  if (!request.url?.includes("orderby")) return false;
  response.setHeader("x-wp-total", "500");
  response.setHeader("x-wp-totalpages", "1");
  response.end(JSON.stringify(pots(3)));
  return true;
}
