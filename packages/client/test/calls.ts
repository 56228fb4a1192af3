import type { ChangingCallOptions, Client } from "../src/index.ts";
import type { Received } from "./service.ts";

/** One call of each operation, and the request that it must make. */
export interface Call {
  call: (client: Client, options?: ChangingCallOptions) => Promise<unknown>;
  request: Pick<Received, "method" | "path"> & Partial<Pick<Received, "query" | "body">>;
}

const hook = { webhookUrl: "https://partner.example/hook", webhookType: "price.alert" } as const;

export const calls: Record<string, Call> = {
  searchTrial: {
    call: (client, options) =>
      client.searchTrial(
        { q: "mug & cup", literal: true, priceRange: [5, 19.5], sort: "price:relevance", order: "desc" },
        options,
      ),
    request: {
      method: "GET",
      path: "/api/v1/search/trial",
      query: {
        q: "mug & cup",
        literal: "true",
        priceRange: "[5,19.5]",
        sort: "price:relevance",
        order: "desc",
      },
    },
  },
  vectorizeImage: {
    call: (client, options) => client.vectorizeImage(new Uint8Array([255, 216, 255, 0]), options),
    request: { method: "POST", path: "/api/v1/vectorize-image", body: { base64String: "/9j/AA==" } },
  },
  detectObjects: {
    call: (client, options) => client.detectObjects("data:image/png;base64,AAAA", options),
    request: {
      method: "POST",
      path: "/api/v1/detect-objects",
      body: { base64String: "data:image/png;base64,AAAA" },
    },
  },
  searchByImage: {
    call: (client, options) => client.searchByImage({ imageId: "img_1" }, options),
    request: { method: "GET", path: "/api/v1/search", query: { imageId: "img_1" } },
  },
  searchMarketplaceA: {
    call: (client, options) => client.searchMarketplaceA({ q: "mug", count: 50, page: 2 }, options),
    request: {
      method: "GET",
      path: "/api/v1/search/marketplace-a",
      query: { q: "mug", count: "50", page: "2" },
    },
  },
  searchMarketplaceB: {
    call: (client, options) => client.searchMarketplaceB({ q: "mug" }, options),
    request: { method: "GET", path: "/api/v1/search/marketplace-b", query: { q: "mug" } },
  },
  searchBrands: {
    call: (client, options) => client.searchBrands({ query: "nordlys" }, options),
    request: { method: "POST", path: "/api/v1/search/brands", body: { query: "nordlys" } },
  },
  deepSearch: {
    call: (client, options) => client.deepSearch({ query: "a mug" }, options),
    request: { method: "POST", path: "/api/v1/deep-search", body: { query: "a mug" } },
  },
  listWebhooks: {
    call: (client, options) => client.listWebhooks(options),
    request: { method: "GET", path: "/api/v1/webhooks" },
  },
  createWebhook: {
    call: (client, options) => client.createWebhook(hook, options),
    request: { method: "POST", path: "/api/v1/webhooks", body: hook },
  },
  deleteWebhook: {
    call: (client, options) => client.deleteWebhook("wh/1", options),
    request: { method: "DELETE", path: "/api/v1/webhooks/wh%2F1" },
  },
  listDeliveries: {
    call: (client, options) => client.listDeliveries("wh_1", { limit: 10, cursor: "next" }, options),
    request: {
      method: "GET",
      path: "/api/v1/webhooks/wh_1/deliveries",
      query: { limit: "10", cursor: "next" },
    },
  },
  replayDelivery: {
    call: (client, options) => client.replayDelivery("wh_1", "dl_1", options),
    request: { method: "POST", path: "/api/v1/webhooks/wh_1/deliveries/dl_1/replay" },
  },
  testWebhook: {
    call: (client, options) => client.testWebhook("wh_1", options),
    request: { method: "POST", path: "/api/v1/webhooks/wh_1/test" },
  },
  rotateWebhookKey: {
    call: (client, options) => client.rotateWebhookKey("wh_1", options),
    request: { method: "POST", path: "/api/v1/webhooks/wh_1/rotate-key" },
  },
  enableWebhook: {
    call: (client, options) => client.enableWebhook("wh_1", options),
    request: { method: "POST", path: "/api/v1/webhooks/wh_1/enable" },
  },
};

export function callOf(operationId: string): Call {
  const call = calls[operationId];
  if (!call) throw new Error(`There is no call of ${operationId}.`);
  return call;
}
