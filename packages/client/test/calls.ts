import type { CallOptions, ChangingCallOptions, Client } from "../src/index.ts";
import { type DocumentedOperation, documentedOperations } from "./documented-operations.ts";
import type { Received } from "./service.ts";

/** One call of an operation, and the request that it must make. */
export interface Call {
  call: (client: Client, options?: ChangingCallOptions) => Promise<unknown>;
  request: Pick<Received, "method" | "path" | "query" | "body">;
}

/** Operations whose method takes other values than the document's examples, or whose examples are not enough. */
const special: Record<string, Partial<Call["request"]> & Pick<Call, "call">> = {
  searchTrial: {
    call: (client, options) =>
      client.searchTrial(
        { q: "mug & cup", literal: true, priceRange: [5, 19.5], sort: "price:relevance", order: "desc" },
        options,
      ),
    query: {
      q: "mug & cup",
      literal: "true",
      priceRange: "[5,19.5]",
      sort: "price:relevance",
      order: "desc",
    },
  },
  searchCatalog: {
    call: (client, options) =>
      client.searchCatalog(
        {
          q: "mug",
          priceRange: [5, 19.5],
          brands: ["Smith, Wesson", "AC\\DC"],
          categories: ["Mugs", "Cups"],
          stores: [],
          availability: ["in_stock", "preorder"],
          minRating: 4.5,
          sort: "attributes.capacity",
          ranges: { capacity: [1, "2l"], "a:b": [undefined, 3] },
          attributes: { color: ["Black", "Navy, dark"], "a:b": ["M"] },
          facets: ["brands", "price", "attributes.a,b"],
          facetQuery: { facet: "attributes.a,b", text: "x" },
          grouped: true,
          include: ["highlights", "variants"],
          count: 50,
        },
        options,
      ),
    query: {
      q: "mug",
      priceRange: "[5,19.5]",
      brands: "Smith\\, Wesson,AC\\\\DC",
      categories: "Mugs,Cups",
      availability: "in_stock,preorder",
      minRating: "4.5",
      sort: "attributes.capacity",
      ranges: "capacity:[1,2l],a\\:b:[,3]",
      attributes: "color:Black,color:Navy\\, dark,a\\:b:M",
      facets: "brands,price,attributes.a\\,b",
      facetQuery: "attributes.a\\,b:x",
      grouped: "true",
      include: "highlights,variants",
      count: "50",
    },
  },
  searchCatalogBatch: {
    call: (client, options) =>
      client.searchCatalogBatch(
        [
          {
            q: "mug",
            brands: ["Smith, Wesson"],
            attributes: { "a:b": ["Navy, dark"] },
            priceRange: [5, 19.5],
          },
          { notStores: ["AC\\DC"], facets: ["attributes.a,b"], onSale: true },
        ],
        options,
      ),
    body: {
      searches: [
        { q: "mug", brands: ["Smith, Wesson"], attributes: ["a\\:b:Navy, dark"], priceRange: "[5,19.5]" },
        { notStores: ["AC\\DC"], facets: ["attributes.a,b"], onSale: true },
      ],
    },
  },
  getProduct: {
    call: (client, options) => client.getProduct("marketplace-a_B0/1 2", options),
    path: "/api/v1/products/marketplace-a_B0%2F1%202",
  },
  upsertProducts: {
    call: (client, options) =>
      client.upsertProducts([{ _id: "a", price: 1 }], { ...options, source: "marketplace-a" }),
    body: { source: "marketplace-a", products: [{ _id: "a", price: 1 }] },
  },
  deleteProduct: {
    call: (client, options) => client.deleteProduct("marketplace-a_B0/1 2", options),
    path: "/api/v1/products/marketplace-a_B0%2F1%202",
  },
  vectorizeImage: {
    call: (client, options) => client.vectorizeImage(new Uint8Array([255, 216, 255, 0]), options),
    body: { base64String: "/9j/AA==" },
  },
  detectObjects: {
    call: (client, options) => client.detectObjects("data:image/png;base64,AAAA", options),
    body: { base64String: "data:image/png;base64,AAAA" },
  },
  searchByImage: {
    call: (client, options) =>
      client.searchByImage({ imageId: "img_1", withoutCategories: ["Vases"] }, options),
    query: { imageId: "img_1", withoutCategories: "Vases" },
  },
  rotateWebhookKey: {
    call: (client, options) => client.rotateWebhookKey("wh/1", { ...options, revokeFormer: true }),
    path: "/api/v1/webhooks/wh%2F1/rotate-key",
    body: { revokeFormer: true },
  },
  deleteWebhook: {
    call: (client, options) => client.deleteWebhook("wh/1", options),
    path: "/api/v1/webhooks/wh%2F1",
  },
};

/** A call of every operation: path parameters, then the query or the body, then the options. */
const calls = new Map(documentedOperations.map((operation) => [operation.operationId, toCall(operation)]));

function toCall({ operationId, method, path, pathParameters, query, body }: DocumentedOperation): Call {
  const { call, ...differing } = special[operationId] ?? {};
  const what = body ?? (Object.keys(query).length > 0 ? query : undefined);
  const input = [...Object.values(pathParameters), ...(what ? [what] : [])];
  return {
    call: call ?? ((client, options) => methodOf(client, operationId)(...input, options)),
    request: {
      method,
      path: `/api/v1${path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(pathParameters[name] ?? ""))}`,
      query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
      body,
      ...differing,
    },
  };
}

type Method = (...input: (string | object | CallOptions | undefined)[]) => Promise<unknown>;

function methodOf(client: Client, operationId: string): Method {
  const method: unknown = Reflect.get(client, operationId);
  if (typeof method !== "function") throw new Error(`The client has no method ${operationId}.`);
  return (...input) => Reflect.apply(method, client, input);
}

export function callOf(operationId: string): Call {
  const call = calls.get(operationId);
  if (!call) throw new Error(`The document has no operation ${operationId}.`);
  return call;
}
