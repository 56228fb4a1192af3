import { findNamedProducts } from "@product-search/core/domain/identity.ts";
import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import { escapeName } from "@product-search/core/domain/name-list.ts";
import { fromMinor, toMinor } from "@product-search/core/domain/price/money.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { CatalogReads } from "@product-search/core/ports/catalog-store.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { toTextFilters } from "@product-search/features/catalog-search/read-query.ts";
import { keepPassing } from "@product-search/features/catalog-search/token-filter.ts";
import type { Handlers, OperationInput, RequestContext } from "@product-search/features/handler.ts";
import type { operations, SearchCatalogOperation } from "@product-search/types";
import {
  askInput,
  askOutput,
  getProductInput,
  getProductOutput,
  lookupInput,
  lookupOutput,
  maxProducts,
  searchInput,
  searchOutput,
  type ToolSchema,
} from "./tool-schemas.ts";
import {
  type Message,
  matches,
  productLines,
  type SelectedOption,
  toUcpGroup,
  toUcpProduct,
  type UcpProduct,
} from "./ucp.ts";
import { envelope, type UcpVersion } from "./ucp-versions.ts";

export interface AgentDeps extends Presentation {
  /** Those that serve the API: an agent's search is the same search. */
  handlers: Pick<Handlers<operations>, "searchCatalog" | "deepSearch">;
  catalogStore: Pick<CatalogReads, "findByIds" | "findGroup">;
  textSearch: Pick<TextSearch, "numberUnit">;
  /** Of the address that was called. */
  ucpVersion: UcpVersion;
}

export interface ToolReply {
  structuredContent: object;
  text: string;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: ToolSchema;
  outputSchema: ToolSchema;
  /** Arguments that are right, for the error about wrong ones. */
  example: object;
  /** The arguments have passed the schema. */
  run(deps: AgentDeps, input: unknown, context: RequestContext): Promise<ToolReply>;
}

interface Filters {
  categories?: string[];
  price?: { min?: number; max?: number; currency?: string };
  brands?: string[];
  min_rating?: number;
  available?: boolean;
  on_sale?: boolean;
  ranges?: Record<string, { min?: number; max?: number; unit?: string }>;
}

interface CatalogRequest {
  filters?: Filters;
  context?: { currency?: string };
}

interface SearchArguments {
  catalog: CatalogRequest & { query?: string; pagination?: { cursor?: string; limit?: number } };
}

const searchTool = defineTool<SearchArguments>({
  name: "search_catalog",
  title: "Search products",
  description:
    "Finds products of the catalog by words, filters or both. Prices are in minor units (1250 is $12.50). Costs one request.",
  inputSchema: searchInput,
  outputSchema: searchOutput,
  example: { catalog: { query: "red mug", filters: { price: { max: 2000 } } } },
  async run(deps, { catalog }, context) {
    const { query, filters = {}, pagination = {} } = catalog;
    const problem = currencyProblem(catalog, deps);
    if (problem !== undefined)
      return {
        structuredContent: { ucp: envelope(deps, "search"), products: [], messages: [problem] },
        text: problem.content,
      };
    const { page, limit } = readCursor(pagination);
    const reply = await deps.handlers.searchCatalog(
      {
        path: {},
        body: undefined,
        query: { ...toQuery(filters, deps), ...(query !== undefined && { q: query }), page, count: limit },
      },
      context,
    );
    const stored = await deps.catalogStore.findByIds(reply.Products.map(({ _id }) => _id));
    const products = stored.map((product) => toUcpProduct(product, deps));
    const messages = [...otherCurrency(catalog, deps), ...howItWasRead(reply), ...unknownFilters(filters)];
    return {
      structuredContent: {
        ucp: envelope(deps, "search"),
        products,
        pagination: {
          has_next_page: reply.hasMore,
          total_count: reply.count,
          ...(reply.hasMore && { cursor: writeCursor({ page: page + 1, limit }) }),
        },
        ...withMessages(messages),
      },
      text: toText(`${reply.count} products match.`, products, messages),
    };
  },
});

const lookupTool = defineTool<{ catalog: CatalogRequest & { ids: string[] } }>({
  name: "lookup_catalog",
  title: "Look up products",
  description:
    "Current price, stock and details of up to 50 products by their identifiers or `sku`. Costs one request.",
  inputSchema: lookupInput,
  outputSchema: lookupOutput,
  example: { catalog: { ids: ["665f1c2ab7e4a91d3c5e8f01"] } },
  async run(deps, { catalog }, _context) {
    const { filters = {} } = catalog;
    const ids = [...new Set(catalog.ids)];
    const problem = currencyProblem(catalog, deps);
    const named = await findNamedProducts(deps.catalogStore, problem === undefined ? ids : []);
    const stored = [...new Map([...named.values()].map((product) => [product.id, product])).values()];
    const products = (await passing(stored, filters, deps)).map((product) => {
      const { variants, ...rest } = toUcpProduct(product, deps);
      const inputs = ids
        .filter((id) => named.get(id)?.id === product.id)
        .map((id) => ({ id, match: "exact" as const }));
      return { ...rest, variants: variants.map((variant) => ({ ...variant, inputs })) };
    });
    const messages: Message[] =
      problem === undefined
        ? [
            ...ids
              .filter((id) => !named.has(id))
              .map((id): Message => ({ type: "info", code: "not_found", content: id })),
            ...otherCurrency(catalog, deps),
            ...unknownFilters(filters),
          ]
        : [problem];
    return {
      structuredContent: { ucp: envelope(deps, "lookup"), products, ...withMessages(messages) },
      text: toText(`${products.length} of ${ids.length} products found.`, products, messages),
    };
  },
});

const getProductTool = defineTool<{
  catalog: CatalogRequest & { id: string; selected?: SelectedOption[]; preferences?: string[] };
}>({
  name: "get_product",
  title: "Get a product",
  description: "Everything about one product, with its current price and stock. Costs one request.",
  inputSchema: getProductInput,
  outputSchema: getProductOutput,
  example: { catalog: { id: "665f1c2ab7e4a91d3c5e8f01" } },
  async run(deps, { catalog }, _context) {
    const { id, filters = {}, selected = [], preferences = [] } = catalog;
    const problem = currencyProblem(catalog, deps);
    if (problem !== undefined) return noProduct(deps, problem);
    const stored = (await findNamedProducts(deps.catalogStore, [id])).get(id);
    if (stored === undefined) return noProduct(deps, notFound(`Product not found: ${id}`));
    const members = await membersOf(stored, deps);
    const shown = await passing(choose(members, stored, selected, preferences), filters, deps);
    const [chosen] = shown;
    if (chosen === undefined) return noProduct(deps, notFound(`Product ${id} is outside the filters.`));
    const product = toUcpGroup(chosen, members, shown, deps);
    const messages = [...otherCurrency(catalog, deps), ...unknownFilters(filters)];
    return {
      structuredContent: { ucp: envelope(deps, "lookup"), product, ...withMessages(messages) },
      text: `${toText("", [product], messages)}\n\n${product.description.plain}`,
    };
  },
});

const askTool = defineTool<{ question: string; history?: string[] }>({
  name: "ask",
  title: "Ask about products",
  description:
    "Answers a question about the catalog in sentences, from its products alone, in the language of the question. Costs one request, and takes longer than a search.",
  inputSchema: askInput,
  outputSchema: askOutput,
  example: { question: "Which mug keeps coffee warm?" },
  async run(deps, { question, history }, context) {
    const body = { query: question, ...(history !== undefined && { history }) };
    const reply = await deps.handlers.deepSearch({ path: {}, query: {}, body }, context);
    if (!("data" in reply)) throw new Error("A stream where JSON was accepted.");
    const { aiResponse, description, productCount, topProducts } = reply.data;
    const { currency } = deps;
    return {
      structuredContent: {
        answer: aiResponse,
        interpretation: description,
        match_count: productCount,
        products: topProducts.map(({ name, brand, storeName, price, averageRating, ...named }) => ({
          ...named,
          title: name,
          ...(brand !== undefined && { brand }),
          seller: storeName,
          price: { amount: toMinor(price, currency), currency },
          ...(averageRating !== undefined && { rating: averageRating }),
        })),
      },
      text: aiResponse,
    };
  },
});

const maxVariants = 50;

async function membersOf(product: StoredProduct, { catalogStore }: AgentDeps): Promise<StoredProduct[]> {
  const { source, groupId } = product;
  if (groupId === undefined) return [product];
  const members = await catalogStore.findGroup(source, groupId, maxVariants);
  return members.some(({ id }) => id === product.id) ? members : [product, ...members];
}

/**
 * The members that the selection leaves, best first: all of them with the product itself first if nothing is selected. If no
 * member has all the values, selections are dropped from the end, those that the preferences name last.
 */
function choose(
  members: readonly StoredProduct[],
  product: StoredProduct,
  selected: readonly SelectedOption[],
  preferences: readonly string[],
): StoredProduct[] {
  const rank = ({ name }: SelectedOption) => {
    const index = preferences.indexOf(name);
    return index < 0 ? preferences.length : index;
  };
  const kept = selected.toSorted((one, other) => rank(one) - rank(other));
  for (; kept.length > 0; kept.pop()) {
    const found = members.filter((member) => matches(member, kept));
    if (found.length > 0) return found;
  }
  return [product, ...members.filter(({ id }) => id !== product.id)];
}

export const tools: readonly Tool[] = [searchTool, lookupTool, getProductTool, askTool];

interface TypedTool<Arguments> extends Omit<Tool, "run"> {
  run(deps: AgentDeps, input: Arguments, context: RequestContext): Promise<ToolReply>;
}

/** The endpoint checks arguments against the schema before it calls the tool, so they have the tool's type. */
function defineTool<Arguments>(tool: TypedTool<Arguments>): Tool {
  return tool;
}

/** UCP's filters as parameters of the search. */
function toQuery(
  filters: Filters,
  { currency }: Presentation,
): OperationInput<SearchCatalogOperation>["query"] {
  const { categories = [], brands = [], price, min_rating, available, on_sale, ranges = {} } = filters;
  const bounds = Object.entries(ranges).map(([name, range]) => attributeRange(name, range));
  return {
    ...(bounds.length > 0 && { ranges: bounds.join() }),
    ...(categories.length > 0 && { categories: categories.map(escapeName) }),
    ...(brands.length > 0 && { brands: brands.map(escapeName) }),
    ...(price !== undefined && { priceRange: priceRange(price, currency) }),
    ...(min_rating !== undefined && { minRating: min_rating }),
    ...(available === true && { availability: ["in_stock", "preorder", "backorder"] }),
    ...(on_sale !== undefined && { onSale: on_sale }),
  };
}

const maxMinor = 1e12;

function priceRange({ min = 0, max = maxMinor }: NonNullable<Filters["price"]>, currency: string): string {
  return `[${decimal(min, currency)},${decimal(max, currency)}]`;
}

/** Whole numbers up to a billion have no exponent. */
function decimal(minor: number, currency: string): string {
  return String(fromMinor(minor, currency));
}

function attributeRange(
  name: string,
  { min, max, unit = "" }: NonNullable<Filters["ranges"]>[string],
): string {
  const bound = (value: number | undefined) =>
    value === undefined ? "" : `${value.toFixed(10).replace(/\.?0+$/, "")}${unit}`;
  return `${name.replace(/[\\,:]/g, "\\$&")}:[${bound(min)},${bound(max)}]`;
}

/** The same filters on products whose identifiers are known. */
function passing(
  products: readonly StoredProduct[],
  filters: Filters,
  deps: AgentDeps,
): Promise<StoredProduct[]> {
  const textFilters = toTextFilters(toQuery(filters, deps), deps.currency);
  return keepPassing(products, (product) => product, textFilters, deps.textSearch);
}

const knownFilters: ReadonlySet<string> = new Set([
  "categories",
  "price",
  "brands",
  "min_rating",
  "available",
  "on_sale",
  "ranges",
]);

/** UCP leaves filters open. One that is not known here must not look as if it held. */
function unknownFilters(filters: Filters): Message[] {
  return Object.keys(filters)
    .filter((name) => !knownFilters.has(name))
    .slice(0, 10)
    .map((name) => ({
      type: "info",
      code: "filter_ignored",
      content: `The filter ${name} is not known here and was ignored. Known are ${[...knownFilters].join(", ")}.`,
    }));
}

/** A price bound in another currency cannot be held, and nothing is found rather than something too expensive. */
function currencyProblem(
  { filters, context }: CatalogRequest,
  { currency }: Presentation,
): Message | undefined {
  // Some platforms write it beside the bounds.
  const asked = filters?.price?.currency ?? context?.currency;
  if (filters?.price === undefined || asked === undefined || asked === currency) return undefined;
  return {
    type: "error",
    code: "currency_not_supported",
    content: `Prices are in ${currency}, and price filters in ${asked} cannot be compared with them. Send the filter in ${currency}.`,
    severity: "recoverable",
  };
}

/** Without a bound everything is found, and its prices name their currency: not the one that was asked for. */
function otherCurrency({ context }: CatalogRequest, { currency }: Presentation): Message[] {
  const asked = context?.currency;
  if (asked === undefined || asked === currency) return [];
  const content = `Prices are in ${currency}: this service has none in ${asked}, and converts none.`;
  return [{ type: "info", code: "currency_not_supported", content }];
}

function howItWasRead({
  correctedQuery,
  ignoredWords,
}: {
  correctedQuery?: string;
  ignoredWords?: string[];
}): Message[] {
  return [
    ...(correctedQuery === undefined
      ? []
      : [{ type: "info" as const, code: "query_corrected", content: `Searched for: ${correctedQuery}` }]),
    ...(ignoredWords === undefined
      ? []
      : [
          {
            type: "info" as const,
            code: "words_ignored",
            content: `Searched without: ${ignoredWords.join(", ")}`,
          },
        ]),
  ];
}

const notFound = (content: string): Message => ({
  type: "error",
  code: "not_found",
  content,
  severity: "unrecoverable",
});

/** UCP: an outcome of the application, not a failure of the call. */
function noProduct(deps: AgentDeps, message: Message): ToolReply {
  return {
    structuredContent: { ucp: envelope(deps, "lookup", "error"), messages: [message] },
    text: message.content,
  };
}

function withMessages(messages: readonly Message[]): { messages?: readonly Message[] } {
  return messages.length === 0 ? {} : { messages };
}

function toText(summary: string, products: readonly UcpProduct[], messages: readonly Message[]): string {
  const notes = messages.map(({ content }) => content);
  return [summary, ...notes, productLines(products)].filter((line) => line !== "").join("\n");
}

/** The cursor of a page is its number and size: the service keeps nothing between requests. */
function writeCursor({ page, limit }: { page: number; limit: number }): string {
  return Buffer.from(`${page}.${limit}`).toString("base64url");
}

function readCursor({ cursor, limit = 10 }: { cursor?: string; limit?: number }): {
  page: number;
  limit: number;
} {
  if (cursor === undefined) return { page: 1, limit: Math.min(limit, maxProducts) };
  const [, page, size] =
    /^([1-9]\d{0,4})\.([1-9]\d?)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (page !== undefined && Number(size) <= maxProducts) return { page: Number(page), limit: Number(size) };
  throw new ApiError(
    "invalid_request",
    "pagination.cursor: is not a cursor of this service. Send the cursor of the former page.",
  );
}
