import type { operations } from "@product-search/types";
import type { Presentation } from "./domain/to-product.ts";
import { ApiError } from "./errors.ts";
import { searchBrands } from "./features/brand-search/search-brands.ts";
import { searchMarketplaceA, searchMarketplaceB } from "./features/marketplace-search/search-marketplace.ts";
import { searchTrial } from "./features/text-search/search-trial.ts";
import type { Handlers, RequestContext } from "./http/handler.ts";
import type { CatalogStore } from "./ports/catalog-store.ts";
import type { Clock } from "./ports/clock.ts";
import type { Marketplace, MarketplaceSource } from "./ports/marketplace-source.ts";
import type { TextSearch } from "./ports/text-search.ts";

/** Everything that features are handed. */
export interface Ports extends Presentation {
  clock: Clock;
  catalogStore: CatalogStore;
  textSearch: TextSearch;
  marketplaceSources: Readonly<Record<Marketplace, MarketplaceSource>>;
  /** The marketplaces of second-hand goods. */
  secondhandSources: readonly string[];
}

/** Operations whose feature has not landed; the list only ever shrinks. */
export const pendingOperations = [
  "vectorizeImage",
  "detectObjects",
  "searchByImage",
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
export const createHandlers = (ports: Ports) =>
  ({
    vectorizeImage: pending,
    detectObjects: pending,
    searchByImage: pending,
    searchTrial: async ({ query }, { signal }) => ({
      status: "success",
      Products: await searchTrial(ports, query, signal),
    }),
    searchMarketplaceA: async ({ query }, context) =>
      labelled(context, await searchMarketplaceA(ports, query, context.signal)),
    searchMarketplaceB: async ({ query }, context) =>
      labelled(context, await searchMarketplaceB(ports, query, context.signal)),
    searchBrands: async ({ body }) => ({ status: "success", brands: await searchBrands(ports, body.query) }),
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

function labelled<Body>(
  { setHeader }: RequestContext,
  { body, headers }: { body: Body; headers: Readonly<Record<string, string>> },
): Body {
  for (const [name, value] of Object.entries(headers)) setHeader(name, value);
  return body;
}
