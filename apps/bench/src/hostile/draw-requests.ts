import { sampleProductInput } from "@product-search/api/compose/sample-products.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import type { Random } from "@product-search/sample-catalog";
import { type OperationId, operations } from "@product-search/spec/operations";

/** A request by its parts, so that another one can have some of them. */
export interface HostileRequest {
  readonly name: Target;
  readonly query: Readonly<Record<string, string>>;
  /** The members of the body; for the tools of agents, of their arguments. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type Target = OperationId | `mcp ${string}`;

type Parts = Partial<Omit<HostileRequest, "name">>;
type Draw = (random: Random) => Parts;

const sampled = 3000;
const maxText = 512;
const maxList = 4000;
const separators = [
  " ",
  "-",
  ".",
  "\t",
  "_",
  ",",
  "/",
  "+",
  " or ",
  " and ",
  " not ",
  " -",
  "  ",
  "\u00a0",
] as const;
const phrases = [
  "under $50",
  "4 stars",
  "not black",
  "cheapest",
  "without a car",
  "something warm for winter",
  "1.7 l",
  "over 20 cm",
  "for him",
  "usb-c",
  "best rated",
] as const;

/** What the sample catalog has, the most frequent first. */
function readVocabulary() {
  const settings = { currency: "USD", nowMs: Date.UTC(2026, 10, 1) };
  const inputs = Array.from({ length: sampled }, (_, at) => sampleProductInput(at, settings));
  const texts = inputs.map(({ name, category = "", description }) => `${name} ${category} ${description}`);
  return {
    words: byFrequency(texts.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])),
    brands: byFrequency(inputs.flatMap(({ brand }) => brand ?? [])),
    categories: byFrequency(inputs.flatMap(({ category }) => category ?? [])),
    stores: byFrequency(inputs.map(({ storeName }) => storeName)),
    attributes: byFrequency(
      inputs.flatMap(({ attributes = {} }) =>
        Object.entries(attributes).map(([name, value]) => `${name}:${value}`),
      ),
    ),
  };
}

function byFrequency(values: readonly string[]): string[] {
  const counts = Map.groupBy(values, (value) => value);
  return [...counts].sort(([, one], [, other]) => other.length - one.length).map(([value]) => value);
}

const { words, brands, categories, stores, attributes } = readVocabulary();

/** The first of the list are drawn most. */
const frequent = (random: Random, values: readonly string[]): string =>
  values[Math.floor(random.next() ** 3 * values.length)] ?? "";

function word(random: Random): string {
  const known = frequent(random, words);
  const kind = random.next();
  if (kind < 0.7) return known;
  if (kind < 0.78) return known.slice(0, random.integer(1, 4));
  if (kind < 0.86) return known.slice(1) + known.slice(0, 1);
  if (kind < 0.94) return String(random.integer(0, 2000));
  return random.pick(phrases);
}

function text(random: Random, most = maxText): string {
  const separator = random.pick(separators);
  let drawn = word(random);
  for (let count = random.pick([1, 2, 3, 5, 12, 15, 30, 60, 120]); count > 1; count--) {
    const next = drawn + (random.chance(0.9) ? separator : random.pick(separators)) + word(random);
    if ([...next].length > most) break;
    drawn = next;
  }
  return drawn.trim() || "lamp";
}

/** As long as a list may be, names of the catalog and others. */
function list(random: Random, values: readonly string[]): string {
  const names = values
    .slice(0, random.pick([1, 3, 30, values.length]))
    .map((name) => name.replaceAll(",", "\\,"));
  for (let more = random.pick([0, 0, 10, 300]); more > 0; more--)
    names.push(`Maker ${random.integer(0, 1e6)}`);
  let drawn = names[0] ?? "";
  for (const name of names.slice(1)) {
    if (encodeURIComponent(`${drawn},${name}`).length > maxList) break;
    drawn += `,${name}`;
  }
  return drawn;
}

/** Some of the members, each drawn when it is there. */
function some(random: Random, members: Readonly<Record<string, () => string>>, share = 0.4) {
  const drawn = Object.entries(members).filter(() => random.chance(share));
  return Object.fromEntries(drawn.map(([name, draw]) => [name, draw()]));
}

const facetNames = "brands,categories,stores,price,rating,availability,categoryPaths,attributes";

function catalogQuery(random: Random): Record<string, string> {
  const query = some(random, {
    q: () => text(random),
    facets: () => random.pick([facetNames, "attributes", "brands", "categoryPaths,attributes"]),
    grouped: () => "true",
    include: () => random.pick(["variants", "description", "variants,description,attributes"]),
    sort: () => random.pick(["price", "price:relevance", "rating", "discount", "popularity", "relevance"]),
    order: () => random.pick(["asc", "desc"]),
    priceRange: () => random.pick(["[0,1000000]", "[10,100]", "[50,51]"]),
    brands: () => list(random, brands),
    categories: () => list(random, categories),
    stores: () => list(random, stores),
    attributes: () => list(random, attributes),
    notBrands: () => list(random, brands),
    notCategories: () => list(random, categories),
    notAttributes: () => list(random, attributes),
    onSale: () => "true",
    availability: () => "in_stock,out_of_stock,preorder",
    minRating: () => random.pick(["0", "1", "4.9"]),
    minDiscount: () => random.pick(["0", "1", "60"]),
    count: () => random.pick(["1", "20", "250"]),
    literal: () => "true",
  });
  const page = { page: String(Math.floor(10_000 / Number(query.count ?? 20))) };
  const needed = ["q", "brands", "categories", "priceRange", "minRating"].some((name) => name in query);
  return {
    ...query,
    ...(random.chance(0.2) && page),
    ...("facets" in query && random.chance(0.3) && { maxFacetValues: "200" }),
    ...(!needed && { priceRange: "[0,1000000]" }),
  };
}

const { properties = {} } = operations.searchCatalog.schemas.query;

/** The parameters of a query as members of a body. */
function asJson(query: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const type = properties[name]?.type;
      if (type === "array") return [name, value.split(",")];
      if (type === "integer" || type === "number") return [name, Number(value)];
      return [name, type === "boolean" ? value === "true" : value];
    }),
  );
}

function rule(random: Random): Record<string, unknown> {
  const ids = (most: number) =>
    Array.from({ length: random.pick([1, most]) }, () => `product-${random.integer(0, 100_000)}`);
  const raised = () =>
    random.pick<object>([
      { brands: brands.slice(0, 50) },
      { categories: categories.slice(0, 50) },
      { productIds: ids(200) },
    ]);
  const boosts = Array.from({ length: random.pick([1, 20]) }, () => ({
    factor: random.pick([0.5, 2, 5]),
    ...raised(),
  }));
  const query = { query: frequent(random, words), match: "contains" };
  const pins = ids(100).map((productId, at) => ({ productId, position: at + 1 }));
  return {
    name: "hostile",
    when: random.chance(0.5) ? query : {},
    boost: boosts,
    ...(random.chance(0.5) && { hide: ids(200) }),
    ...(random.chance(0.3) && { when: query, pin: pins }),
  };
}

function products(random: Random): unknown[] {
  const description = "A mug of stone ".repeat(random.pick([1, 60, 600]));
  return Array.from({ length: random.pick([1, 100, 1000]) }, (_, at) => ({
    id: `hostile-${at}`,
    name: text(random, 200),
    price: 10,
    url: "https://shop.example/mug",
    storeName: "Shop",
    description,
    ...(random.chance(0.5) && {
      attributes: Object.fromEntries(words.slice(0, 50).map((name) => [name, "x"])),
    }),
  }));
}

const nothing: Draw = () => ({});
const marketplace: Draw = (random) => ({
  query: { q: text(random), ...some(random, { count: () => "250", page: () => "2", literal: () => "true" }) },
});

/** One for each operation: a new one without does not compile. What makes state that others need is drawn empty. */
type MarketplaceSearch = OperationId & `searchMarketplace${string}`;

function isMarketplaceSearch(id: OperationId): id is MarketplaceSearch {
  return id.startsWith("searchMarketplace");
}

const draws: Record<OperationId, Draw> & Record<`mcp ${string}`, Draw> = {
  vectorizeImage: () => ({ body: { base64String: "aGVsbG8=" } }),
  detectObjects: () => ({ body: { base64String: "aGVsbG8=" } }),
  searchByImage: () => ({ query: { imageId: "unknown" } }),
  searchTrial: (random) => ({
    query: {
      q: text(random),
      ...some(random, {
        sort: () => random.pick(["price", "rating", "discount", "price:relevance"]),
        priceRange: () => "[0,1000000]",
        literal: () => "true",
      }),
    },
  }),
  searchCatalog: (random) => ({ query: catalogQuery(random) }),
  searchCatalogBatch: (random) => ({
    body: {
      searches: Array.from({ length: random.pick([1, 3, 10]) }, () => asJson(catalogQuery(random))),
    },
  }),
  ...recordOf(
    Object.values(operations)
      .map(({ operationId }) => operationId)
      .filter(isMarketplaceSearch),
    () => marketplace,
  ),
  suggest: (random) => ({ query: { q: text(random, 100) } }),
  searchBrands: (random) => ({ body: { query: random.pick([text(random), frequent(random, brands), "a"]) } }),
  deepSearch: (random) => ({
    body: {
      query: text(random),
      ...(random.chance(0.4) && {
        history: Array.from({ length: random.integer(1, 10) }, () => text(random)),
      }),
    },
  }),
  upsertProducts: (random) => ({ body: { products: products(random) } }),
  getProduct: nothing,
  deleteProduct: nothing,
  similarProducts: () => ({ query: { count: "50" } }),
  relatedProducts: (random) => ({ query: { count: "50", kind: random.pick(["alike", "boughtTogether"]) } }),
  listPriceHistory: () => ({ query: { limit: "1000" } }),
  sendEvents: (random) => ({
    body: {
      events: Array.from({ length: random.pick([1, 100]) }, () => ({
        type: "click",
        queryId: text(random, 200),
        productId: "product-1",
      })),
    },
  }),
  searchInsights: (random) => ({
    query: { kind: random.pick(["top", "noResults"]), limit: "50", interval: "day" },
  }),
  listRules: nothing,
  createRule: (random) => ({ body: { ...rule(random), enabled: false } }),
  orderRules: (random) => ({
    body: { ids: Array.from({ length: random.pick([1, 1000]) }, (_, at) => `r${at}`) },
  }),
  previewRule: (random) => ({ body: { rule: rule(random), q: text(random) } }),
  replaceRule: (random) => ({ body: rule(random) }),
  deleteRule: nothing,
  listRuleHistory: nothing,
  listSynonyms: nothing,
  addSynonym: (random) => ({ body: { rule: text(random, 5000) } }),
  deleteSynonym: (random) => ({ query: { rule: text(random) } }),
  listWebhooks: nothing,
  createWebhook: (random) => ({
    body: { productIds: Array.from({ length: random.pick([1, 1000]) }, (_, at) => `p${at}`) },
  }),
  deleteWebhook: nothing,
  listDeliveries: nothing,
  replayDelivery: nothing,
  testWebhook: nothing,
  rotateWebhookKey: nothing,
  enableWebhook: nothing,
  "mcp search_catalog": (random) => ({
    body: {
      ...(random.chance(0.8) && { query: text(random) }),
      filters: {
        ...(random.chance(0.4) && { brands: brands.slice(0, random.pick([1, 50])) }),
        ...(random.chance(0.4) && { categories: categories.slice(0, random.pick([1, 50])) }),
        price: { min: 0, max: 1e9 },
      },
      pagination: { limit: 50 },
    },
  }),
  "mcp ask": (random) => ({ body: { question: text(random) } }),
};

export const targets = Object.keys(draws) as Target[];

export function drawRequest(name: Target, random: Random): HostileRequest {
  return { name, query: {}, body: {}, ...draws[name]?.(random) };
}

/** Another one like it: a member is drawn again, added or left out. */
export function mutate({ name, query, body }: HostileRequest, random: Random): HostileRequest {
  const fresh = drawRequest(name, random);
  return { name, query: mix(query, fresh.query, random), body: mix(body, fresh.body, random) };
}

function mix<Value>(
  own: Readonly<Record<string, Value>>,
  fresh: Readonly<Record<string, Value>>,
  random: Random,
): Record<string, Value> {
  const mixed = { ...own };
  for (const [name, value] of Object.entries(fresh)) if (random.chance(0.4)) mixed[name] = value;
  const names = Object.keys(mixed);
  if (names.length > 1 && random.chance(0.2)) delete mixed[names[random.integer(0, names.length - 1)] ?? ""];
  return mixed;
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly hasToken: boolean;
}

/** `product-7` in what was drawn stands for one of these. */
export function toSent(request: HostileRequest, productIds: readonly string[]): SentRequest {
  const { path, body, ...sent } = withPlaces(request);
  const named = (part: string) =>
    part.replaceAll(/product-(\d+)/g, (_, number) => productIds[Number(number) % productIds.length] ?? "");
  return { ...sent, path: named(path), body: body && named(body) };
}

function withPlaces({ name, query, body }: HostileRequest): SentRequest {
  const [, tool] = name.split(" ");
  if (tool !== undefined) {
    const input = tool === "search_catalog" ? { catalog: body } : body;
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: input } };
    return { method: "POST", path: "/mcp", body: JSON.stringify(message), hasToken: true };
  }
  const operation = Object.values(operations).find(({ operationId }) => operationId === name);
  if (operation === undefined) throw new Error(`${name} is no operation.`);
  const path = `/api/v1${operation.path.replaceAll("{product_id}", operation.method === "DELETE" ? "unknown" : "product-1").replaceAll(/\{\w+\}/g, "unknown")}`;
  const parameters = new URLSearchParams(query).toString();
  return {
    method: operation.method,
    path: parameters === "" ? path : `${path}?${parameters}`,
    body: operation.body === "none" ? undefined : JSON.stringify(body),
    hasToken: operation.scope !== undefined,
  };
}
