import type { operations } from "@product-search/types";
import { ApiError } from "./errors.ts";
import type { Handlers } from "./http/handler.ts";
import type { CatalogStore } from "./ports/catalog-store.ts";
import type { Clock } from "./ports/clock.ts";
import type { TextSearch } from "./ports/text-search.ts";

/** Everything that features are handed. */
export interface Ports {
  clock: Clock;
  catalogStore: CatalogStore;
  textSearch: TextSearch;
}

/** Operations whose feature has not landed; the list only ever shrinks. */
export const pendingOperations = [
  "vectorizeImage",
  "detectObjects",
  "searchByImage",
  "searchTrial",
  "searchMarketplaceA",
  "searchMarketplaceB",
  "searchBrands",
  "deepSearch",
  "createWebhook",
  "listWebhooks",
  "deleteWebhook",
  "listDeliveries",
  "testWebhook",
  "replayDelivery",
  "rotateWebhookKey",
  "enableWebhook",
] as const satisfies readonly (keyof operations)[];

const pending = async (): Promise<never> => {
  throw new ApiError("unavailable", "This operation is not available in this release yet.", {
    retryAfterSeconds: 3600,
  });
};

/** The one table that joins spec and code: operationId → handler. */
export const createHandlers = (_ports: Ports) =>
  ({
    vectorizeImage: pending,
    detectObjects: pending,
    searchByImage: pending,
    searchTrial: pending,
    searchMarketplaceA: pending,
    searchMarketplaceB: pending,
    searchBrands: pending,
    deepSearch: pending,
    createWebhook: pending,
    listWebhooks: pending,
    deleteWebhook: pending,
    listDeliveries: pending,
    testWebhook: pending,
    replayDelivery: pending,
    rotateWebhookKey: pending,
    enableWebhook: pending,
  }) satisfies Handlers<operations>;
