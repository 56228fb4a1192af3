import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  askOutput,
  getProductOutput,
  lookupOutput,
  searchOutput,
} from "@product-search/agents/tool-schemas.ts";
import { type UcpVersion, ucpVersions } from "@product-search/agents/ucp-versions.ts";
import { loadSample } from "@product-search/features/catalog-write/load-sample.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleProductInputs } from "../../src/compose/sample-products.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const site = "http://service.test";
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await start();
  token = await service.token({ scopes: ["search"] });
});
afterAll(() => service.close());

async function start(environment: Record<string, string> = {}): Promise<TestService> {
  const started = await createTestService({ environment });
  await loadSample(started.stores, sampleProductInputs(300, { currency: "USD", nowMs: Date.now() }));
  await started.indexed();
  return started;
}

interface Sent {
  url: string;
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  headers: Record<string, string>;
  payload?: string;
}

const send = (message: unknown, headers: Record<string, string> = {}, to = service) =>
  sendAs({ headers, payload: typeof message === "string" ? message : JSON.stringify(message) }, to);
const sendAs = ({ headers, ...sent }: Partial<Sent>, to = service) =>
  to.app.inject({
    method: "POST",
    url: "/mcp",
    ...sent,
    headers: {
      host: "service.test",
      "content-type": "application/json",
      accept: "application/json",
      ...headers,
    },
  });
const authorized = (given = token) => ({ authorization: `Bearer ${given}` });

/** A request without handshake, as UCP's command sends it. */
const call = (name: string, input: object, headers: Record<string, string> = authorized(), to = service) =>
  send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }, headers, to);
const resultOf = async (name: string, input: object) => {
  const response = await call(name, input);
  expect(response.statusCode, response.body).toBe(200);
  const { result, error } = response.json();
  expect(error).toBeUndefined();
  return result;
};
const contentOf = async (name: string, input: object) => (await resultOf(name, input)).structuredContent;

const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
const outputs: Record<string, ValidateFunction> = {
  search_catalog: ajv.compile(searchOutput),
  lookup_catalog: ajv.compile(lookupOutput),
  get_product: ajv.compile(getProductOutput),
  ask: ajv.compile(askOutput),
};

/** The schemas that UCP publishes, by version, and which of them holds for what. */
const ucpSchemas = new Map(
  ucpVersions.map((version) => {
    const file = new URL(`../../testing/ucp-schemas/schemas-${version}.json`, import.meta.url);
    const schemas = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
    for (const schema of JSON.parse(readFileSync(file, "utf8"))) schemas.addSchema(schema);
    return [version, schemas];
  }),
);
const [currentVersion] = ucpVersions;

const schemasOfReplies: Record<string, string[]> = {
  search_catalog: ["shopping/catalog_search.json#/$defs/search_response"],
  lookup_catalog: ["shopping/catalog_lookup.json#/$defs/lookup_response"],
  get_product: ["shopping/catalog_lookup.json#/$defs/get_product_response"],
  error: ["common/types/error_response.json", "shopping/types/error_response.json"],
  "ucp of a profile": ["ucp.json#/$defs/business_schema"],
};

function expectUcp(kind: string, content: unknown, version: UcpVersion = currentVersion): void {
  const [check] = (schemasOfReplies[kind] ?? []).flatMap(
    (name) => ucpSchemas.get(version)?.getSchema(`https://ucp.dev/schemas/${name}`) ?? [],
  );
  expect(check, kind).toBeDefined();
  check?.(content);
  expect(check?.errors ?? [], kind).toEqual([]);
}

/** Calls the tool and checks its reply against what it promises. */
async function use(name: string, input: object) {
  const content = await contentOf(name, input);
  const check = outputs[name];
  check?.(content);
  expect(check?.errors ?? [], name).toEqual([]);
  if (name !== "ask") expectUcp(content.ucp.status === "error" ? "error" : name, content);
  return content;
}

describe("search_catalog", () => {
  it("finds products, with prices in minor units and their currency", async () => {
    const { ucp, products, pagination } = await use("search_catalog", { catalog: { query: "red mug" } });
    expect(ucp).toMatchObject({ version: "2026-08-25", status: "success" });
    expect(products.length).toBeGreaterThan(0);
    const [{ id, price_range, variants }] = products;
    const stored = await service.stores.catalogStore.findById(id);
    expect(price_range.min).toEqual({ amount: stored?.priceMinor, currency: "USD" });
    expect(variants[0]).toMatchObject({ id, availability: { status: stored?.availability } });
    expect(pagination.total_count).toBeGreaterThanOrEqual(products.length);
  });

  it("is the same search as that of the API", async () => {
    const url = "/api/v1/search/catalog?q=lamp&count=10&priceRange=[0,100]";
    const api = (await service.app.inject({ url, headers: authorized() })).json();
    const { products, pagination } = await use("search_catalog", {
      catalog: { query: "lamp", filters: { price: { max: 10_000 } }, context: { currency: "USD" } },
    });
    expect(products.map(({ id }: { id: string }) => id)).toEqual(
      api.Products.map(({ _id }: { _id: string }) => _id),
    );
    expect(pagination.total_count).toBe(api.count);
  });

  it("holds its filters, and says which ones it does not know", async () => {
    const stored = await service.stores.catalogStore.scan(0, 300);
    const [brand, category] = [stored[0]?.brand ?? "", stored[0]?.category ?? ""];
    const { products, messages } = await use("search_catalog", {
      catalog: {
        filters: { brands: [brand], categories: [category], available: true, colour: ["red"] },
        pagination: { limit: 50 },
      },
    });
    const expected = stored.filter(
      (product) =>
        product.source === "catalog" &&
        product.brand === brand &&
        product.category === category &&
        product.availability !== "out_of_stock",
    );
    expect(products).toHaveLength(expected.length);
    expect(messages).toMatchObject([{ code: "filter_ignored", content: expect.stringContaining("colour") }]);
  });

  it("pages with a cursor to the end, without a product twice", async () => {
    const seen: string[] = [];
    const catalog = { query: "chair", pagination: { limit: 3 } as object };
    for (let total = 1; seen.length < total; ) {
      const { products, pagination } = await use("search_catalog", { catalog });
      seen.push(...products.map(({ id }: { id: string }) => id));
      total = pagination.total_count;
      expect(pagination.has_next_page).toBe(seen.length < total);
      catalog.pagination = { cursor: pagination.cursor };
    }
    expect(seen.length).toBeGreaterThan(3);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("finds nothing rather than something above a price in another currency", async () => {
    const catalog = { query: "mug", filters: { price: { max: 2000 } }, context: { currency: "EUR" } };
    const { products, messages } = await use("search_catalog", { catalog });
    expect(products).toEqual([]);
    expect(messages[0]).toMatchObject({ type: "error", code: "currency_not_supported" });
  });

  it.each([
    ["of the bounds themselves", { filters: { price: { max: 2000, currency: "EUR" } } }, 0],
    ["of the customer, with everything found", {}, 10],
  ])("says that prices are in another currency than that %s", async (_whose, asked, length) => {
    const context = { currency: "EUR" };
    const { products, messages } = await use("search_catalog", {
      catalog: { query: "mug", context, ...asked },
    });
    expect(products).toHaveLength(length);
    expect(messages[0]).toMatchObject({
      code: "currency_not_supported",
      content: expect.stringContaining("USD"),
    });
  });

  it.each(["search_catalog", "lookup_catalog", "get_product", "ask"])(
    "shows what the arguments of %s look like when they are wrong, and these are right",
    async (name) => {
      const wrong = JSON.parse((await call(name, { catalog: 7, question: 7 })).body);
      expect(wrong.error.message).toContain(JSON.stringify(wrong.error.data.example));
      const right = JSON.parse((await call(name, wrong.error.data.example)).body);
      expect(right.error).toBeUndefined();
    },
  );

  it("does not repeat the whole of a tool's unknown name", async () => {
    const { body } = await call("x".repeat(60_000), {});
    expect(body.length).toBeLessThan(1000);
    expect(body).toContain("search_catalog");
  });

  it("says in its text what it found, for clients that read nothing else", async () => {
    const { content } = await resultOf("search_catalog", {
      catalog: { query: "travel mug", pagination: { limit: 1 } },
    });
    expect(content).toHaveLength(1);
    expect(content[0].text).toMatch(
      /^\d+ products match\.\n1\. .+ · \$\d+\.\d\d · .+ · id [0-9a-f]{24} · http/,
    );
  });
});

describe("lookup_catalog and get_product", () => {
  it("find products of any source once, and name what is not there", async () => {
    const [first] = await service.stores.catalogStore.scan(0, 1);
    const ids = [first?.id, "marketplace-a_A0000001", first?.id, "nosuch"];
    const { products, messages } = await use("lookup_catalog", { catalog: { ids } });
    expect(products.map(({ id }: { id: string }) => id)).toEqual([first?.id, "marketplace-a_A0000001"]);
    expect(products[0].variants[0].inputs).toEqual([{ id: first?.id, match: "exact" }]);
    expect(messages).toEqual([{ type: "info", code: "not_found", content: "nosuch" }]);
  });

  it("find a product by the shop's own key, the `sku` of the responses", async () => {
    const [first] = await service.stores.catalogStore.scan(0, 1);
    const ids = [first?.key, first?.id];
    const { products } = await use("lookup_catalog", { catalog: { ids } });
    expect(products).toHaveLength(1);
    expect(products[0].variants[0]).toMatchObject({
      sku: first?.key,
      inputs: ids.map((id) => ({ id, match: "exact" })),
    });
    const { product } = await use("get_product", { catalog: { id: first?.key } });
    expect(product.variants).toContainEqual(expect.objectContaining({ id: first?.id }));
  });

  it("respond to an unknown product with an outcome, not with a fault", async () => {
    const { ucp, messages } = await use("get_product", { catalog: { id: "nosuch" } });
    expect(ucp.status).toBe("error");
    expect(messages[0]).toMatchObject({ code: "not_found", severity: "unrecoverable" });
  });

  it("return one product with its facts, also from hostile data", async () => {
    const name = "</script><img src=x onerror=alert(1)> \u2028";
    await service.stores.catalogStore.apply([
      {
        source: "catalog",
        key: "hostile",
        name,
        storeName: name,
        description: "",
        url: "javascript:alert(1)",
        images: ["/images/a b.jpg", "javascript:alert(1)"],
        priceMinor: 0,
        originalPriceMinor: 500,
        availability: "out_of_stock",
      },
    ]);
    const stored = (await service.stores.catalogStore.scan(0, 1000)).find(({ key }) => key === "hostile");
    const { product } = await use("get_product", { catalog: { id: stored?.id } });
    expect(product).toMatchObject({ title: name, description: { plain: name } });
    expect(product.variants[0]).toMatchObject({
      price: { amount: 0 },
      url: `${site}/products/${stored?.slug}`,
      list_price: { amount: 500, currency: "USD" },
      availability: { available: false, status: "out_of_stock" },
    });
    await service.stores.catalogStore.remove([stored?.id ?? ""]);
  });

  it("show what customers choose by, and narrow the variants to their choice", async () => {
    const variant = (
      color: string,
      size: string,
      availability: "in_stock" | "out_of_stock",
      priceMinor: number,
    ) => ({
      source: "catalog" as const,
      key: `shirt-${color}-${size}`,
      name: `Shirt ${color} ${size}`,
      storeName: "x",
      description: "",
      url: "/products/shirt",
      images: [],
      priceMinor,
      availability,
      groupId: "shirt",
      category: "Shirts",
      categoryPaths: [["Clothes", "Shirts"]],
      attributes: { color: [color], size: [size], material: ["cotton"] },
    });
    await service.stores.catalogStore.apply([
      variant("Blue", "S", "in_stock", 1000),
      variant("Blue", "M", "out_of_stock", 1000),
      variant("Red", "S", "in_stock", 1200),
    ]);
    const stored = (await service.stores.catalogStore.scan(0, 1000)).filter(
      ({ groupId }) => groupId === "shirt",
    );
    const id = stored[0]?.id;
    const { product } = await use("get_product", { catalog: { id } });
    expect(product.price_range).toEqual({
      min: { amount: 1000, currency: "USD" },
      max: { amount: 1200, currency: "USD" },
    });
    expect(product.variants).toHaveLength(3);
    expect(product.categories).toEqual([{ value: "Clothes > Shirts", taxonomy: "merchant" }]);
    expect(product.selected).toEqual([
      { name: "color", label: "Blue" },
      { name: "size", label: "S" },
    ]);
    expect(product.options).toEqual([
      {
        name: "color",
        values: [
          { label: "Blue", available: true, exists: true },
          { label: "Red", available: true, exists: true },
        ],
      },
      {
        name: "size",
        values: [
          { label: "S", available: true, exists: true },
          { label: "M", available: false, exists: true },
        ],
      },
    ]);
    const choose = async (selected: object[], preferences: string[]) => {
      const catalog = { id, selected, preferences };
      const { product: chosen } = await use("get_product", { catalog });
      return chosen.variants.map(({ title }: { title: string }) => title);
    };
    const [red, blue, medium] = [
      { name: "color", label: "red" },
      { name: "color", label: "Blue" },
      { name: "size", label: "M" },
    ];
    expect(await choose([blue], [])).toEqual(["Shirt Blue S", "Shirt Blue M"]);
    expect(await choose([red, medium], ["color", "size"])).toEqual(["Shirt Red S"]);
    expect(await choose([red, medium], ["size", "color"])).toEqual(["Shirt Blue M"]);
    const filters = { categories: ["clothes"] };
    expect((await use("get_product", { catalog: { id, filters } })).product.id).toBe(id);
    await service.stores.catalogStore.remove(stored.map((one) => one.id));
  });

  it("leave out what is outside the filters", async () => {
    const [first] = await service.stores.catalogStore.scan(0, 1);
    const catalog = { id: first?.id, filters: { price: { max: (first?.priceMinor ?? 0) - 1 } } };
    expect((await use("get_product", { catalog })).product).toBeUndefined();
    const { products } = await use("lookup_catalog", { catalog: { ...catalog, ids: [first?.id] } });
    expect(products).toEqual([]);
  });
});

describe("a range of an attribute", () => {
  it("is a filter of each tool of the catalog, in the unit of its values or in its own", async () => {
    const name = "bowl: volume, net";
    const values = ["1 l", "1500 ml", "1.9", "3 l", ...Array.from({ length: 6 }, () => "5 l")];
    await service.stores.catalogStore.apply(
      values.map((value, n) =>
        fakeMug("catalog", 900 + n, { brand: "Bowlers", attributes: { [name]: [value] } }),
      ),
    );
    await service.indexed();
    const stored = (await service.stores.catalogStore.scan(0, 1000)).filter(
      ({ brand }) => brand === "Bowlers",
    );
    const idOf = (value: string) => stored.find(({ attributes }) => attributes?.[name]?.[0] === value)?.id;
    const idsIn = async (range: object) => {
      const filters = { brands: ["Bowlers"], ranges: { [name]: range } };
      const all = { filters, pagination: { limit: 50 } };
      const [found, looked] = await Promise.all([
        use("search_catalog", { catalog: all }),
        use("lookup_catalog", { catalog: { ids: stored.map(({ id }) => id), filters } }),
      ]);
      const ids = (products: { id: string }[]) => products.map(({ id }) => id).toSorted();
      expect(ids(looked.products)).toEqual(ids(found.products));
      return ids(found.products);
    };
    const upTo2 = ["1 l", "1500 ml", "1.9"].map(idOf).toSorted();
    expect(await idsIn({ max: 2 })).toEqual(upTo2);
    expect(await idsIn({ min: 0.000001, max: 2000, unit: "ml" })).toEqual(upTo2);
    expect(await idsIn({ min: 2, max: 3, unit: "kg" })).toEqual([]);
    const catalog = { id: idOf("3 l"), filters: { ranges: { [name]: { max: 2 } } } };
    expect((await use("get_product", { catalog })).product).toBeUndefined();
    await service.stores.catalogStore.remove(stored.map(({ id }) => id));
  });
});

describe("ask", () => {
  it("answers from products alone, with the prices in minor units", async () => {
    const question = "Which mug is under 20 dollars?";
    const { answer, products, match_count } = await use("ask", { question });
    expect(match_count).toBeGreaterThan(0);
    for (const { price } of products) expect(price.amount).toBeLessThanOrEqual(2000);
    expect(answer).toContain(products[0].title);
    const { _id, key, slug, url, image } = products[0];
    const [stored] = await service.stores.catalogStore.findByIds([_id]);
    expect(stored).toMatchObject({ key, slug });
    for (const address of [url, image]) expect(address).toMatch(/^https?:/);
  });
});

describe("wrong arguments", () => {
  it.each([
    ["search_catalog", {}],
    ["search_catalog", { catalog: {} }],
    ["search_catalog", { catalog: { query: 5 } }],
    ["search_catalog", { catalog: { query: "x".repeat(513) } }],
    ["search_catalog", { catalog: { query: "mug", pagination: { cursor: "nonsense" } } }],
    ["search_catalog", { catalog: { query: "mug", filters: { price: { max: -1 } } } }],
    ["search_catalog", { catalog: { query: "mug", filters: { price: { min: 500, max: 100 } } } }],
    ["search_catalog", { catalog: { filters: { ranges: { width: {} } } } }],
    ["search_catalog", { catalog: { filters: { ranges: { width: { min: 1, unit: "1],x:[" } } } } }],
    ["lookup_catalog", { catalog: { ids: Array.from({ length: 51 }, (_, index) => `id-${index}`) } }],
    ["get_product", { catalog: { id: 7 } }],
    ["ask", { question: " " }],
    ["nosuch", {}],
  ])("of %s %j are an error of the protocol that says what is wrong", async (name, input) => {
    const { error } = (await call(name, input)).json();
    expect(error).toMatchObject({ code: -32602 });
    expect(error.message.length).toBeGreaterThan(20);
  });

  it("do not show what went wrong inside", async () => {
    const failing = await createTestService({
      handlers: (handlers) => ({
        ...handlers,
        searchCatalog: () => Promise.reject(new Error("password at /data/store")),
      }),
    });
    const given = await failing.token({ scopes: ["search"] });
    const { body } = await call("search_catalog", { catalog: { query: "mug" } }, authorized(given), failing);
    expect(body).toContain("Internal server error");
    expect(body).not.toContain("password");
    await failing.close();
  });

  it.each([["[]"], ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]'], ["{"], ['"text"'], ["null"], ["{}"]])(
    "%s is refused",
    async (body) => {
      const response = await send(body, authorized());
      expect(response.statusCode).toBe(400);
    },
  );
});

describe("who may call", () => {
  const message = { jsonrpc: "2.0", id: 1, method: "ping" };

  it("needs a token of the scope search", async () => {
    const refused = await send(message);
    expect(refused.statusCode).toBe(401);
    expect(refused.headers["www-authenticate"]).toMatch(/^Bearer/);
    const other = await service.token({ scopes: ["webhooks"] });
    expect((await send(message, authorized(other))).statusCode).toBe(403);
    expect((await send(message, authorized())).statusCode).toBe(200);
  });

  it("counts calls for the token's limit, like all its requests", async () => {
    const limited = await createTestService({ environment: { TOKEN_RATE_LIMIT: "2/60" } });
    const given = authorized(await limited.token({ scopes: ["search"] }));
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) statuses.push((await send(message, given, limited)).statusCode);
    expect(statuses).toEqual([200, 200, 429]);
    await limited.close();
  });

  it("with AGENT_ACCESS=public needs none, within the limit of the trial", async () => {
    const open = await createTestService({
      environment: { AGENT_ACCESS: "public", TRIAL_RATE_LIMIT: "2/60" },
    });
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) statuses.push((await send(message, {}, open)).statusCode);
    expect(statuses).toEqual([200, 200, 429]);
    const given = authorized(await open.token({ scopes: ["search"] }));
    expect((await send(message, given, open)).statusCode).toBe(200);
    expect((await send(message, authorized("pss_wrong"), open)).statusCode).not.toBe(200);
    await open.close();
  });

  it("with AGENT_ACCESS=off there is nothing", async () => {
    const closed = await createTestService({ environment: { AGENT_ACCESS: "off" } });
    expect((await send(message, {}, closed)).statusCode).toBe(404);
    expect((await closed.app.inject("/.well-known/ucp")).statusCode).toBe(404);
    await closed.close();
  });

  it("refuses other hosts and pages of other origins", async () => {
    expect((await send(message, { ...authorized(), host: "attacker.example" })).statusCode).toBe(403);
    expect((await send(message, { ...authorized(), origin: "https://attacker.example" })).statusCode).toBe(
      403,
    );
    expect((await send(message, { ...authorized(), origin: "null" })).statusCode).toBe(403);
    expect((await send(message, { ...authorized(), origin: site })).statusCode).toBe(200);
    const own = await service.token({ scopes: ["search"], publicOrigins: ["https://shop.example"] });
    const page = { ...authorized(own), origin: "https://shop.example" };
    const allowed = await send(message, page);
    expect(allowed.statusCode).toBe(200);
    expect(allowed.headers["access-control-allow-origin"]).toBe("https://shop.example");
    expect((await send(message, { ...page, origin: "https://other.example" })).statusCode).toBe(403);
    const preflight = await sendAs({
      method: "OPTIONS",
      headers: { origin: "https://shop.example", "access-control-request-method": "POST" },
    });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers["access-control-allow-headers"]).toContain("mcp-protocol-version");
    const listed = await createTestService({ environment: { CORS_ORIGINS: "https://app.example" } });
    const given = {
      ...authorized(await listed.token({ scopes: ["search"] })),
      origin: "https://app.example",
    };
    expect((await send(message, given, listed)).statusCode).toBe(200);
    await listed.close();
  });

  it("reads all names of this machine where PUBLIC_URL is one of them", async () => {
    const local = await createTestService({ environment: { PUBLIC_URL: "http://localhost:3000" } });
    const given = authorized(await local.token({ scopes: ["search"] }));
    for (const [host, status] of [
      ["127.0.0.1:3000", 200],
      ["localhost:3000", 200],
      ["127.0.0.1:3001", 403],
      ["service.test", 403],
    ] as const) {
      expect((await send(message, { ...given, host }, local)).statusCode, host).toBe(status);
    }
    await local.close();
  });

  it.each(["GET", "HEAD", "PUT", "PATCH", "DELETE"] as const)(
    "%s is not supported: there are no sessions",
    async (method) => {
      const response = await sendAs({ method, headers: authorized() });
      expect(response.statusCode).toBe(405);
      expect(response.headers.allow).toBe("POST");
    },
  );

  it("is measured under a name of its own", async () => {
    await send(message, authorized());
    const metrics = await service.app.inject("/metrics");
    expect(metrics.body).toMatch(/product_search_http_requests_total\{operation="mcp",status="200"\} \d+/);
  });
});

describe.each(ucpVersions)("UCP %s", (version) => {
  const read = async (url: string) => (await service.app.inject(url.replace(site, ""))).json();
  /** The profile of the version, as agents find it. */
  async function findProfile() {
    const current = await read("/.well-known/ucp");
    return current.ucp.version === version ? current : read(current.ucp.supported_versions[version]);
  }
  async function endpointOf(transport: string): Promise<string> {
    const { ucp } = await findProfile();
    const services: { transport: string; endpoint: string }[] = ucp.services["dev.ucp.shopping"];
    return services.find((one) => one.transport === transport)?.endpoint.replace(site, "") ?? "";
  }
  const post = async (path: string, body: object, headers: Record<string, string> = authorized()) =>
    service.app.inject({
      method: "POST",
      url: `${await endpointOf("rest")}${path}`,
      headers: { host: "service.test", ...headers },
      payload: body,
    });

  it("has a profile of its own, which leads to no other unless it is the current one", async () => {
    const { ucp } = await findProfile();
    expect(ucp.version).toBe(version);
    expectUcp("ucp of a profile", ucp, version);
    expect(ucp.supported_versions).toEqual(
      version === currentVersion
        ? Object.fromEntries(ucpVersions.slice(1).map((one) => [one, `${site}/.well-known/ucp/${one}`]))
        : undefined,
    );
    for (const { spec, schema } of Object.values<{ spec: string; schema: string }[]>(ucp.capabilities).flat())
      for (const page of [spec, schema]) expect(page).toContain(`https://ucp.dev/${version}/`);
  });

  it("has one reply to a request, over MCP and over plain HTTP", async () => {
    const mcp = await endpointOf("mcp");
    const [first] = await service.stores.catalogStore.scan(0, 1);
    for (const [name, path, catalog] of [
      ["search_catalog", "/catalog/search", { query: "red mug", pagination: { limit: 2 } }],
      ["lookup_catalog", "/catalog/lookup", { ids: [first?.id, "nosuch"] }],
      ["get_product", "/catalog/product", { id: first?.id }],
      ["error", "/catalog/product", { id: "nosuch" }],
    ] as const) {
      const response = await post(path, catalog);
      expect(response.statusCode, response.body).toBe(200);
      expectUcp(name, response.json(), version);
      expect(response.json().ucp.version).toBe(version);
      const params = { name: name === "error" ? "get_product" : name, arguments: { catalog } };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const sent = await sendAs({ url: mcp, headers: authorized(), payload: JSON.stringify(message) });
      expect(sent.json().result.structuredContent).toEqual(response.json());
    }
  });

  it("says why a price filter in another currency finds nothing", async () => {
    const filters = { price: { max: 2000 } };
    const { products, messages } = (
      await post("/catalog/search", { query: "mug", filters, context: { currency: "JPY" } })
    ).json();
    expect(products).toEqual([]);
    expect(messages).toMatchObject([
      { code: "currency_not_supported", content: expect.stringMatching(/USD.*JPY/) },
    ]);
  });

  it.each([
    ["/catalog/search", { query: 5 }, "invalid_request", "query"],
    ["/catalog/search", { query: "mug", pagination: { cursor: "x" } }, "invalid_request", "cursor"],
    ["/catalog/lookup", {}, "invalid_request", "ids"],
    ["/catalog/lookup", { ids: Array.from({ length: 51 }, String) }, "request_too_large", "50"],
    ["/catalog/product", { id: 7 }, "invalid_request", "id"],
  ])("refuses wrong requests to %s with what is wrong: %j", async (path, body, code, named) => {
    const response = await post(path, body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ status: "error", code, requestId: expect.any(String) });
    expect(response.json().message).toContain(named);
  });

  it("needs a token, and POST", async () => {
    expect((await post("/catalog/search", { query: "mug" }, {})).statusCode).toBe(401);
    const other = await service.token({ scopes: ["webhooks"] });
    expect((await post("/catalog/search", { query: "mug" }, authorized(other))).statusCode).toBe(403);
    const read = await service.app.inject(`${await endpointOf("rest")}/catalog/search`);
    expect([read.statusCode, read.headers.allow]).toEqual([405, "POST"]);
  });
});

it("the profile is for pages of anybody", async () => {
  const { headers } = await service.app.inject("/.well-known/ucp");
  expect(headers["access-control-allow-origin"]).toBe("*");
});

describe.each([["legacy"], ["auto"]] as const)("the official client, mode %s", (mode) => {
  it("connects, lists the tools and calls them", async () => {
    const asFetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const response = await service.app.inject({
        method: init?.method === "GET" ? "GET" : init?.method === "DELETE" ? "DELETE" : "POST",
        url: new URL(url).pathname,
        headers: { ...Object.fromEntries(new Headers(init?.headers)), host: "service.test" },
        ...(typeof init?.body === "string" && { payload: init.body }),
      });
      const { statusCode, headers, body } = response;
      const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
      return new Response(body === "" ? null : body, { status: statusCode, headers: sent });
    };
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const options = { fetch: asFetch, requestInit: { headers: authorized() } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${site}/mcp`), options));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["search_catalog", "lookup_catalog", "get_product", "ask"]);
    // The client checks the content against the schema of the tool's output.
    const found = await client.callTool({
      name: "search_catalog",
      arguments: { catalog: { query: "red mug" } },
    });
    expect(found.structuredContent).toMatchObject({ products: expect.any(Array) });
    const answer = await client.callTool({ name: "ask", arguments: { question: "a red mug" } });
    expect(answer.structuredContent).toHaveProperty("answer");
    await expect(client.callTool({ name: "get_product", arguments: {} })).rejects.toThrow("arguments");
    await client.close();
  });
});
