import { type DeepSearchEvent, type paths, writtenSourceValues } from "@product-search/types";
import createFetchClient from "openapi-fetch";
import {
  type CallOptions,
  type ClientOptions,
  checkBaseUrl,
  type ImageInput,
  type ImageQuery,
  keepResponse,
  toBase64,
} from "./call-options.ts";
import { catalogParameters, nameList, plainParameters } from "./catalog-query.ts";
import type { Client, MarketplaceMethods, MarketplaceQuery, TrialQuery } from "./client.ts";
import { createCaller, failureOf, type Init, statusOf } from "./create-caller.ts";
import { upsertInBatches } from "./upsert-in-batches.ts";

/** Reads the pages of a search until `hasMore` is false. */
export async function* pages<Query extends { page?: number }, Page extends { hasMore: boolean }>(
  search: (query: Query) => Promise<Page>,
  query: Query,
): AsyncGenerator<Page, void> {
  for (let page = query.page ?? 1; ; page++) {
    const response = await search({ ...query, page });
    yield response;
    if (!response.hasMore) return;
  }
}

/** Reads the pages of a list until there is no `nextCursor`. */
export async function* cursorPages<Query extends { cursor?: string }, Page extends { nextCursor?: string }>(
  list: (query: Query) => Promise<Page>,
  query: Query,
): AsyncGenerator<Page, void> {
  for (let next: Query = query; ; ) {
    const response = await list(next);
    yield response;
    if (response.nextCursor === undefined) return;
    next = { ...query, cursor: response.nextCursor };
  }
}

/** Creates a client. It keeps no connection open and need not be closed. */
export function createClient(options: ClientOptions): Client {
  checkBaseUrl(options.baseUrl);
  const api = createFetchClient<paths>({
    baseUrl: options.baseUrl,
    querySerializer: { array: { style: "form", explode: false } },
    ...(options.token && { headers: { Authorization: `Bearer ${options.token}` } }),
  });
  const { read, change, changeByKey, stream } = createCaller(options);

  const vectorize = async (image: ImageInput, init: Init) =>
    body(api.POST("/vectorize-image", { body: { base64String: await toBase64(image) }, ...init }));

  const client: Client = {
    searchTrial: (query, call = {}) =>
      read(call, (init) => body(api.GET("/search/trial", { params: { query: trialQuery(query) }, ...init }))),

    searchCatalog: (query, call = {}) =>
      read(call, (init) =>
        body(api.GET("/search/catalog", { params: { query: catalogParameters(query) }, ...init })),
      ),
    searchCatalogBatch: (searches, call = {}) =>
      read(call, (init) =>
        body(api.POST("/search/batch", { body: { searches: searches.map(plainParameters) }, ...init })),
      ),
    catalogPages: (query, call) => pages((page) => client.searchCatalog(page, call), query),

    suggest: (query, call = {}) =>
      read(call, (init) => body(api.GET("/search/suggestions", { params: { query }, ...init }))),
    getProduct: (product_id, call = {}) =>
      read(call, (init) =>
        body(api.GET("/products/{product_id}", { params: { path: { product_id } }, ...init })),
      ),
    similarProducts: (product_id, query = {}, call = {}) =>
      read(call, (init) =>
        body(api.GET("/products/{product_id}/similar", { params: { path: { product_id }, query }, ...init })),
      ),
    relatedProducts: (product_id, query = {}, call = {}) =>
      read(call, (init) =>
        body(api.GET("/products/{product_id}/related", { params: { path: { product_id }, query }, ...init })),
      ),
    listPriceHistory: (product_id, query = {}, call = {}) =>
      read(call, (init) =>
        body(
          api.GET("/products/{product_id}/price-history", {
            params: { path: { product_id }, query },
            ...init,
          }),
        ),
      ),
    priceHistoryPages: (product_id, query = {}, call) =>
      cursorPages((page) => client.listPriceHistory(product_id, page, call), query),

    vectorizeImage: (image, call = {}) => read(call, (init) => vectorize(image, init)),
    detectObjects: (image, call = {}) =>
      read(call, async (init) =>
        body(api.POST("/detect-objects", { body: { base64String: await toBase64(image) }, ...init })),
      ),
    searchByImage: (image, call = {}) =>
      read(call, async (init) => {
        const query = isIdentified(image)
          ? imageParameters(image)
          : { imageId: (await vectorize(image, init)).slug };
        return body(api.GET("/search", { params: { query }, ...init }));
      }),

    ...marketplaceMethods((marketplace, query, call) =>
      read(call, (init) => body(api.GET(`/search/${marketplace}`, { params: { query }, ...init }))),
    ),

    searchBrands: (request, call = {}) =>
      read(call, (init) => body(api.POST("/search/brands", { body: request, ...init }))),

    deepSearch: (request, call = {}) =>
      read(call, (init) => body(api.POST("/deep-search", { body: request, ...init }))),
    deepSearchStream: (request, call = {}) =>
      stream(
        call,
        async (init) => {
          const headers = { Accept: "text/event-stream" };
          return (await api.POST("/deep-search", { body: request, headers, parseAs: "stream", ...init }))
            .response;
        },
        deepSearchEvents,
      ),

    upsertProducts: (products, { source, replaceGroups, idempotencyKey, ...call } = {}) =>
      upsertInBatches(products, replaceGroups === true, (rows, number) =>
        changeByKey({ ...call, ...keyOfBatch(idempotencyKey, number) }, (init, header) =>
          body(
            api.POST("/products", {
              params: { header },
              body: {
                ...(source !== undefined && { source }),
                ...(replaceGroups !== undefined && { replaceGroups }),
                products: rows,
              },
              ...init,
            }),
          ),
        ),
      ),
    deleteProduct: (product_id, call = {}) =>
      change(call, (init) =>
        body(api.DELETE("/products/{product_id}", { params: { path: { product_id } }, ...init })),
      ),

    listRules: (call = {}) => read(call, (init) => body(api.GET("/rules", init))),
    createRule: (request, call = {}) =>
      change(call, (init) => body(api.POST("/rules", { body: request, ...init }))),
    replaceRule: (rule_id, request, call = {}) =>
      change(call, (init) =>
        body(api.PUT("/rules/{rule_id}", { params: { path: { rule_id } }, body: request, ...init })),
      ),
    deleteRule: (rule_id, call = {}) =>
      change(call, (init) =>
        body(api.DELETE("/rules/{rule_id}", { params: { path: { rule_id } }, ...init })),
      ),
    orderRules: (request, call = {}) =>
      change(call, (init) => body(api.PUT("/rules/order", { body: request, ...init }))),
    previewRule: (request, call = {}) =>
      read(call, (init) => body(api.POST("/rules/preview", { body: request, ...init }))),
    listRuleHistory: (rule_id, query = {}, call = {}) =>
      read(call, (init) =>
        body(api.GET("/rules/{rule_id}/history", { params: { path: { rule_id }, query }, ...init })),
      ),

    sendEvents: (request, call = {}) =>
      change(call, (init) => body(api.POST("/events", { body: request, ...init }))),
    searchInsights: (query = {}, call = {}) =>
      read(call, (init) => body(api.GET("/insights/searches", { params: { query }, ...init }))),

    listSynonyms: (query = {}, call = {}) =>
      read(call, (init) => body(api.GET("/synonyms", { params: { query }, ...init }))),
    addSynonym: (request, call = {}) =>
      change(call, (init) => body(api.POST("/synonyms", { body: request, ...init }))),
    deleteSynonym: (query, call = {}) =>
      change(call, (init) => body(api.DELETE("/synonyms", { params: { query }, ...init }))),

    listWebhooks: (call = {}) => read(call, (init) => body(api.GET("/webhooks", init))),
    createWebhook: (request, call = {}) =>
      changeByKey(call, (init, header) =>
        body(api.POST("/webhooks", { params: { header }, body: request, ...init })),
      ),
    deleteWebhook: (webhook_id, call = {}) =>
      change(call, (init) =>
        body(api.DELETE("/webhooks/{webhook_id}", { params: { path: { webhook_id } }, ...init })),
      ),
    listDeliveries: (webhook_id, query = {}, call = {}) =>
      read(call, (init) =>
        body(
          api.GET("/webhooks/{webhook_id}/deliveries", { params: { path: { webhook_id }, query }, ...init }),
        ),
      ),
    replayDelivery: (webhook_id, delivery_id, call = {}) =>
      changeByKey(call, (init, header) =>
        body(
          api.POST("/webhooks/{webhook_id}/deliveries/{delivery_id}/replay", {
            params: { path: { webhook_id, delivery_id }, header },
            ...init,
          }),
        ),
      ),
    testWebhook: (webhook_id, call = {}) =>
      changeByKey(call, (init, header) =>
        body(api.POST("/webhooks/{webhook_id}/test", { params: { path: { webhook_id }, header }, ...init })),
      ),
    rotateWebhookKey: (webhook_id, { revokeFormer, ...call } = {}) =>
      changeByKey(call, (init, header) =>
        body(
          api.POST("/webhooks/{webhook_id}/rotate-key", {
            params: { path: { webhook_id }, header },
            ...(revokeFormer !== undefined && { body: { revokeFormer } }),
            ...init,
          }),
        ),
      ),
    enableWebhook: (webhook_id, call = {}) =>
      change(call, (init) =>
        body(api.POST("/webhooks/{webhook_id}/enable", { params: { path: { webhook_id } }, ...init })),
      ),
  };
  return client;
}

const [, ...marketplaces] = writtenSourceValues;

/** `searchMarketplaceA`, `marketplaceAPages` and those of the other marketplaces. */
function marketplaceMethods(
  search: (
    marketplace: (typeof marketplaces)[number],
    query: MarketplaceQuery,
    call: CallOptions,
  ) => Promise<{ hasMore: boolean }>,
): MarketplaceMethods {
  const methods: Record<string, unknown> = {};
  for (const marketplace of marketplaces) {
    const letter = marketplace.slice("marketplace-".length).toUpperCase();
    const searchOne = (query: MarketplaceQuery, call: CallOptions = {}) => search(marketplace, query, call);
    methods[`searchMarketplace${letter}`] = searchOne;
    methods[`marketplace${letter}Pages`] = (query: MarketplaceQuery, call?: CallOptions) =>
      pages((page) => searchOne(page, call), query);
  }
  if (isComplete(methods)) return methods;
  throw new Error("Not reached: each marketplace has its methods.");
}

function isComplete(methods: object): methods is MarketplaceMethods {
  return Object.keys(methods).length === 2 * marketplaces.length;
}

/** Each request of a call needs another key. */
function keyOfBatch(key: string | undefined, number: number): { idempotencyKey?: string } {
  if (key === undefined) return {};
  return { idempotencyKey: number === 1 ? key : `${key}-${number}` };
}

/** The body of a successful response; errors were thrown by `send`. */
async function body<Body extends object>(
  result: Promise<{ data?: Body | string; response: Response }>,
): Promise<Body> {
  const { data, response } = await result;
  if (typeof data === "object") {
    keepResponse(data, response);
    return data;
  }
  throw new Error(`The response with status ${response.status} has no body.`);
}

function trialQuery({ priceRange, ...query }: TrialQuery) {
  return priceRange ? { ...query, priceRange: `[${priceRange[0]},${priceRange[1]}]` } : query;
}

function isIdentified(image: ImageInput | ImageQuery): image is ImageQuery {
  return typeof image === "object" && "imageId" in image;
}

function imageParameters({ imageId, withoutCategories }: ImageQuery) {
  return { imageId, ...(withoutCategories?.length && { withoutCategories: nameList(withoutCategories) }) };
}

/** The events of a streamed deep search, up to `done`. Throws for an `error` event and for a stream that ends before `done`. */
async function* deepSearchEvents(response: Response): AsyncGenerator<DeepSearchEvent, void> {
  if (response.body) {
    for await (const data of readEvents(response.body)) {
      const event = eventIn(data);
      if (!event) continue;
      if (event.type === "error")
        throw failureOf(response, statusOf.get(event.code) ?? response.status, event);
      yield event;
      if (event.type === "done") return;
    }
  }
  throw failureOf(response, response.status, "the stream ended before its answer was complete");
}

const kinds = new Set<unknown>([
  "products",
  "delta",
  "restart",
  "done",
  "error",
] satisfies DeepSearchEvent["type"][]);

/** Undefined for an unknown event: later versions may send more. */
function eventIn(data: string): DeepSearchEvent | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEvent(value: unknown): value is DeepSearchEvent {
  return typeof value === "object" && value !== null && "type" in value && kinds.has(value.type);
}

/** The `data` of each server-sent event of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = stream.getReader();
  const nextLines = createLineSplitter();
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return; // an event that is not followed by an empty line is incomplete
      for (const line of nextLines(value)) {
        if (line === "" && data.length > 0) {
          yield data.join("\n");
          data = [];
        } else if (line.startsWith("data:")) {
          data.push(line.slice(line[5] === " " ? 6 : 5));
        }
      }
    }
  } finally {
    // If the consumer stops early, close the connection.
    await reader.cancel().catch(() => {});
  }
}

/** Returns the lines that each chunk completes. Lines end with CR LF, LF or CR; a chunk may end between CR and LF. */
function createLineSplitter(): (bytes: Uint8Array) => string[] {
  const decoder = new TextDecoder();
  let pending = "";
  let afterReturn = false;
  return (bytes) => {
    let text = decoder.decode(bytes, { stream: true });
    if (text === "") return [];
    if (afterReturn && text.startsWith("\n")) text = text.slice(1);
    afterReturn = text.endsWith("\r");
    const lines = (pending + text).split(/\r\n|\n|\r/);
    pending = lines.pop() ?? "";
    return lines;
  };
}
