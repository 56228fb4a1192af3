import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import type { RuleTable } from "@product-search/core/domain/merchandising/rule-table.ts";
import { createFairSlots } from "@product-search/core/mechanisms/fair-slots.ts";
import type { Account } from "@product-search/core/ports/accounts.ts";
import type { AnswerWriter, BuiltInAnswerWriter } from "@product-search/core/ports/answer-writer.ts";
import type { CatalogReads, StoreCurrency } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  ProductImageStore,
  UploadedImageStore,
  VectorSearch,
  VisionModel,
} from "@product-search/core/ports/images.ts";
import type { WrittenProducts } from "@product-search/core/ports/imports.ts";
import type {
  EventOutcome,
  InsightStore,
  PopularQueries,
  SearchCounter,
} from "@product-search/core/ports/insights.ts";
import type { Marketplace, MarketplaceSource } from "@product-search/core/ports/marketplace-source.ts";
import type { RuleStore, SynonymEditor } from "@product-search/core/ports/merchandising.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookReference, WebhookStore } from "@product-search/core/ports/webhooks.ts";
import type { Conversation } from "@product-search/deep-search/conversation.ts";
import { createDeepSearch, type DeepSearch } from "@product-search/deep-search/deep-search.ts";
import type { DeepSearchDeps } from "@product-search/deep-search/deep-search-deps.ts";
import { toEventStream } from "@product-search/deep-search/to-event-stream.ts";
import type { CatalogSearchResponse, operations } from "@product-search/types";
import { findProductRows } from "./catalog-search/apply-rules.ts";
import { getProduct, listPriceHistory } from "./catalog-search/get-product.ts";
import type { CatalogQuery } from "./catalog-search/read-query.ts";
import { createSearchedRows, searchBatch, searchCatalog } from "./catalog-search/search-catalog.ts";
import { relatedProducts, similarProducts } from "./catalog-search/similar-products.ts";
import { searchBrands, suggest } from "./catalog-search/suggest.ts";
import { visibleEvents } from "./catalog-search/token-filter.ts";
import type { CatalogWrites } from "./catalog-write/import/apply-run.ts";
import { deleteProduct } from "./catalog-write/remove-products.ts";
import { keptCounts, upsertProducts } from "./catalog-write/write/upsert-products.ts";
import type { Handlers, RequestContext } from "./handler.ts";
import { detectObjects } from "./image-search/detect-objects.ts";
import { vectorizeImage } from "./image-search/read-image.ts";
import { searchByImage } from "./image-search/search-by-image.ts";
import { searchInsights } from "./insights/search-insights.ts";
import { sendEvents } from "./insights/send-events.ts";
import { searchMarketplace } from "./marketplace-search/search-marketplace.ts";
import {
  createRule,
  deleteRule,
  listRuleHistory,
  listRules,
  orderRules,
  previewRule,
  replaceRule,
} from "./merchandising/rules.ts";
import { addSynonym, deleteSynonym, listSynonyms } from "./merchandising/synonyms.ts";
import { searchTrial } from "./text-search/search-trial.ts";
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  keptResponse,
  listDeliveries,
  listWebhooks,
  type NewSigningKey,
  replayDelivery,
  rotateWebhookKey,
} from "./webhooks/manage-webhooks.ts";
import { testWebhook } from "./webhooks/test-webhook.ts";

/** The dependencies of all features. */
export interface Ports extends Presentation {
  clock: Clock;
  /** Used by searches. */
  catalogStore: CatalogReads;
  /** The source of truth, for writing. */
  catalogWrites: CatalogWrites;
  writtenProducts: Pick<WrittenProducts, "note">;
  storeCurrency: Pick<StoreCurrency, "record">;
  textSearch: TextSearch;
  marketplaceSources: Readonly<Record<Marketplace, MarketplaceSource>>;
  /** The marketplaces of second-hand goods. */
  secondhandSources: readonly string[];
  /** Private networks from which images are fetched. Default: none. */
  fetchAllowNetworks?: readonly string[] | undefined;
  synonymEditor: SynonymEditor;
  ruleStore: Pick<RuleStore, "version" | "read" | "history">;
  /** The newest rules that this thread knows. */
  rules(): RuleTable;
  insightStore: Pick<InsightStore, "rank" | "totals" | "clickedProducts" | "boughtTogether">;
  /** Absent when nothing is counted. */
  searchCounter?: SearchCounter | undefined;
  /** The same. */
  popularQueries?: PopularQueries | undefined;
  /** Of products that are marked as boosted. Default: 1. */
  boostFactor?: number | undefined;
  /** Whether what is out of stock comes last by relevance. Default: it is mixed with the others. */
  outOfStockLast?: boolean | undefined;
  webhookStore: WebhookStore;
  webhookHttp: OutboundHttp;
  /** Default: random keys. */
  newSigningKey?: NewSigningKey | undefined;
  /** Kinds of product by meaning, for deep search. */
  kindFinder?: DeepSearchDeps["kindFinder"];
  builtInWriter: BuiltInAnswerWriter;
  /** A language model, if one is configured. */
  modelWriter?: AnswerWriter | undefined;
  /** Called for every deep search: who wrote the answer, and why not the model. */
  onAnswer?: DeepSearchDeps["onAnswer"];
  /** Called for every event that was sent. */
  onEvent?: ((outcome: EventOutcome) => void) | undefined;
  /** Called for the first page of every catalog search with a text, with the number of results. */
  onSearch?: ((results: number) => void) | undefined;
  uploadedImageStore: UploadedImageStore;
  productImageStore: Pick<ProductImageStore, "vectorsOf">;
  visionModel: VisionModel;
  vectorSearch: VectorSearch;
}

/** The table that connects spec and code: operationId → handler. */
export const createHandlers = (ports: Ports) => {
  const deepSearch = createDeepSearch(ports);
  // A report reads many rows: several at once would keep the connections to the database from all other requests.
  const inReportSlot = createFairSlots({ slots: 1, maxWaiting: 32, maxWaitingPerCaller: 16 });
  const searchedRows = createSearchedRows(ports);
  return {
    vectorizeImage: async ({ body }, { signal }) => ({
      status: "success",
      slug: await vectorizeImage(ports, body, signal),
    }),
    detectObjects: async ({ body }, { signal }) => ({
      status: "success",
      detectedObjects: await detectObjects(ports, body, signal),
    }),
    searchByImage: async ({ query }, { signal }) => ({
      status: "success",
      ...(await searchByImage(ports, query, signal)),
    }),
    searchTrial: async ({ query }, { signal }) => ({
      status: "success",
      Products: await searchTrial(ports, query, signal),
    }),
    searchCatalog: ({ query }, context) => searchAndCount(ports, query, context),
    searchCatalogBatch: async ({ body }, context) => ({
      status: "success",
      results: await searchBatch(
        {
          countSearches: (searches) => context.countSearches(searches),
          readSearch: (parameters) => context.readSearch(parameters),
          search: (query) => searchAndCount(ports, query, context),
        },
        body.searches,
      ),
    }),
    suggest: ({ query }, { signal }) => suggest(ports, query, signal),
    getProduct: async ({ path }) => ({
      status: "success",
      ...(await getProduct(ports, path.product_id)),
    }),
    similarProducts: async ({ path, query }, { signal }) => ({
      status: "success",
      Products: await similarProducts(ports, path.product_id, query, signal),
    }),
    relatedProducts: async ({ path, query }, { signal }) => ({
      status: "success",
      ...(await relatedProducts(ports, path.product_id, query, signal)),
    }),
    listPriceHistory: async ({ path, query }) => ({
      status: "success",
      ...(await listPriceHistory(ports, path.product_id, query)),
    }),
    upsertProducts: async ({ body }, { transact }) => {
      const response = await upsertProducts(ports, body);
      // Only what a repetition gets: the products were written before, in transactions short enough for other writers.
      return transact(
        async () => response,
        () => keptCounts(response),
      );
    },
    deleteProduct: async ({ path }) => {
      await deleteProduct(ports, path.product_id);
      return { status: "success" };
    },
    searchMarketplaceA: async ({ query }, context) =>
      labelled(context, await searchMarketplace(ports, "marketplace-a", query, context.signal)),
    searchMarketplaceB: async ({ query }, context) =>
      labelled(context, await searchMarketplace(ports, "marketplace-b", query, context.signal)),
    searchBrands: async ({ body }) => ({ status: "success", brands: await searchBrands(ports, body.query) }),
    deepSearch: async ({ body }, context) => responseOrStream(deepSearch, body, context),
    listRules: async () => ({ status: "success", rules: await listRules(ports) }),
    createRule: async ({ body }, context) => ({
      status: "success",
      rule: await createRule({ transact: withoutBody(context) }, body),
    }),
    replaceRule: async ({ path, body }, context) => ({
      status: "success",
      rule: await replaceRule({ transact: withoutBody(context) }, path.rule_id, body),
    }),
    deleteRule: async ({ path }, context) => {
      await deleteRule({ transact: withoutBody(context) }, path.rule_id);
      return { status: "success" };
    },
    orderRules: async ({ body }, context) => ({
      status: "success",
      rules: await orderRules({ transact: withoutBody(context) }, body),
    }),
    previewRule: async ({ body }, { signal }) => ({
      status: "success",
      ...(await previewRule(
        {
          ...ports,
          search: async (query, rules) =>
            (
              await searchCatalog({ ...ports, rules: () => rules }, query, signal)
            ).Products,
        },
        body,
      )),
    }),
    listRuleHistory: async ({ path, query }) => ({
      status: "success",
      ...(await listRuleHistory(ports, path.rule_id, query)),
    }),
    sendEvents: async ({ body }, { account, isPublic, address, signal }) => ({
      status: "success",
      accepted: await sendEvents(
        {
          ...ports,
          findProducts: (ids) => findProductRows(ports.catalogStore, ids),
          rowsOfSearch: (request) => searchedRows.of(request, signal),
        },
        await visibleEvents(ports, body.events),
        { account: account.id, isPublic, address },
      ),
    }),
    searchInsights: ({ query }, { signal }) => inReportSlot(() => searchInsights(ports, query, signal)),
    listSynonyms: async ({ query }) => ({ status: "success", synonyms: await listSynonyms(ports, query) }),
    addSynonym: async ({ body }, context) => ({
      status: "success",
      synonym: await addSynonym({ ...ports, transact: withoutBody(context) }, body),
    }),
    deleteSynonym: async ({ query }, context) => ({
      status: "success",
      synonym: await deleteSynonym({ ...ports, transact: withoutBody(context) }, query),
    }),
    createWebhook: ({ body }, context) =>
      transactAndRespond(context, "Webhook created", (transact) =>
        createWebhook({ ...ports, transact }, context.account.id, body),
      ),
    listWebhooks: async (_, { account }) => done("Webhooks listed", await listWebhooks(ports, account.id)),
    deleteWebhook: async ({ path }, { account, transact }) => {
      const body = { success: true, message: "Webhook deleted" } as const;
      await deleteWebhook({ transact: (work) => transact(work, () => body) }, webhookOf(path, account));
      return body;
    },
    listDeliveries: async ({ path, query }, { account }) => {
      const { deliveries, ...rest } = await listDeliveries(ports, webhookOf(path, account), query);
      return { ...done("Deliveries listed", deliveries), ...rest };
    },
    testWebhook: ({ path }, context) =>
      transactAndRespond(context, "Test delivery queued", (transact) =>
        testWebhook({ ...ports, transact }, webhookOf(path, context.account)),
      ),
    replayDelivery: ({ path }, context) =>
      transactAndRespond(context, "Delivery queued", (transact) =>
        replayDelivery({ ...ports, transact }, webhookOf(path, context.account), path.delivery_id),
      ),
    rotateWebhookKey: ({ path, body }, context) =>
      transactAndRespond(context, "Webhook key rotated", (transact) =>
        rotateWebhookKey({ ...ports, transact }, webhookOf(path, context.account), body),
      ),
    enableWebhook: ({ path }, context) =>
      transactAndRespond(context, "Webhook enabled", (transact) =>
        enableWebhook({ transact }, webhookOf(path, context.account)),
      ),
  } satisfies Handlers<operations>;
};

async function searchAndCount(
  ports: Ports,
  query: ReturnType<RequestContext["readSearch"]>,
  { client, signal }: RequestContext,
): Promise<CatalogSearchResponse> {
  const response = await searchCatalog(ports, query, signal);
  // A page that a rule names is a result, too.
  const results = response.count || (response.redirectUrl === undefined ? 0 : 1);
  return { ...response, ...countSearch(ports, query, response, { client, results }) };
}

/** The queryId, when searches are counted. */
function countSearch(
  { onSearch, searchCounter }: Pick<Ports, "onSearch" | "searchCounter">,
  { page = 1, ...request }: CatalogQuery,
  { Products, related = [], ignoredWords }: CatalogSearchResponse,
  { client, results }: { client: string | undefined; results: number },
): { queryId?: string } {
  const { q = "" } = request;
  if (page === 1 && q !== "") onSearch?.(results);
  if (searchCounter === undefined || client === undefined) return {};
  const shown = [...Products, ...related].map(({ _id }) => _id);
  const search = {
    client,
    text: q,
    results,
    isRelaxed: ignoredWords !== undefined,
    isFirstPage: page === 1,
    request: JSON.stringify(request),
    shown,
  };
  return { queryId: searchCounter.countSearch(search) };
}

async function responseOrStream(
  deepSearch: DeepSearch,
  conversation: Conversation,
  { accepts, caller, requestId, setHeader, signal }: RequestContext,
) {
  if (accepts === "text/event-stream")
    return toEventStream(deepSearch.stream(conversation, signal, caller), requestId);
  const { writer, data } = await deepSearch.answer(conversation, signal, caller);
  setHeader("x-answer-writer", writer);
  return { status: "success", data } as const;
}

function labelled<Body>(
  { setHeader }: RequestContext,
  { body, headers }: { body: Body; headers: Readonly<Record<string, string>> },
): Body {
  for (const [name, value] of Object.entries(headers)) setHeader(name, value);
  return body;
}

/** For operations without an `Idempotency-Key`: no response is stored. */
function withoutBody<Result>({ transact }: RequestContext): Transact<Result> {
  return (work) => transact(work, () => undefined);
}

/** The work of an operation and its response are one transaction: repetitions get the same response. */
async function transactAndRespond<Data extends object>(
  context: RequestContext,
  message: string,
  operation: (transact: Transact<Data>) => Promise<Data>,
) {
  const toKept = (data: Data) => keptResponse(done(message, data));
  return done(message, await operation((work) => context.transact(work, toKept)));
}

/** The envelope of webhook operations. */
function done<Data>(message: string, data: Data) {
  return { success: true, message, data } as const;
}

function webhookOf(path: { webhook_id: string }, account: Account): WebhookReference {
  return { accountId: account.id, webhookId: path.webhook_id };
}
