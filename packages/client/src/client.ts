import type {
  CatalogSearchResponse,
  CreateWebhookRequest,
  DeepSearchEvent,
  DeepSearchRequest,
  DeepSearchResponse,
  DetectObjectsResponse,
  ListDeliveriesOperation,
  ListPriceHistoryOperation,
  MarketplaceASearchResponse,
  MarketplaceBSearchResponse,
  PriceHistoryResponse,
  ProductResponse,
  SearchBrandsRequest,
  SearchBrandsResponse,
  SearchByImageResponse,
  SearchMarketplaceAOperation,
  SearchTrialOperation,
  SimilarProductsOperation,
  SimilarProductsResponse,
  TrialSearchResponse,
  VectorizeImageResponse,
  WebhookDeletedResponse,
  WebhookDeliveryListResponse,
  WebhookDeliveryResponse,
  WebhookListResponse,
  WebhookResponse,
  WebhookWithKeyResponse,
} from "@product-search/types";
import type { CallOptions } from "./call-options.ts";
import type { CatalogQuery } from "./catalog-query.ts";
import type { ImageInput } from "./image-input.ts";

export type MarketplaceQuery = SearchMarketplaceAOperation["parameters"]["query"];

export type DeliveriesQuery = NonNullable<ListDeliveriesOperation["parameters"]["query"]>;

export type SimilarQuery = NonNullable<SimilarProductsOperation["parameters"]["query"]>;

export type PriceHistoryQuery = NonNullable<ListPriceHistoryOperation["parameters"]["query"]>;

export interface TrialQuery extends Omit<SearchTrialOperation["parameters"]["query"], "priceRange"> {
  /** Least and greatest price, both included. */
  priceRange?: readonly [minPrice: number, maxPrice: number];
}

export interface ChangingCallOptions extends CallOptions {
  /** Makes the call safe to repeat: for 24 hours the same key gives the first answer again. With it the call is retried. */
  idempotencyKey?: string;
}

export interface RotateKeyOptions extends ChangingCallOptions {
  /** All former keys end at once, the one that is replaced included: for a key that has leaked. */
  revokeFormer?: boolean;
}

/**
 * One method for each operation, and a few that go beyond one call. All answer with the body of the success and throw
 * a `ProductSearchError` otherwise, or the reason of your `signal` when you abort.
 */
export interface Client {
  /** The five best products of the catalog for a text. Needs no token. */
  searchTrial(query: TrialQuery, options?: CallOptions): Promise<TrialSearchResponse>;

  /** One page of the catalog's products for a text, for filters, or for both, with facets. */
  searchCatalog(query: CatalogQuery, options?: CallOptions): Promise<CatalogSearchResponse>;
  /** The pages of a search of the catalog, one call each, from `page` (1) until there are no more. */
  catalogPages(query: CatalogQuery, options?: CallOptions): AsyncGenerator<CatalogSearchResponse, void>;

  /** The product of any source with this `_id`; `product_not_found` when there is none. */
  getProduct(productId: string, options?: CallOptions): Promise<ProductResponse>;
  /** Products of the catalog that look most like a product, without itself. */
  similarProducts(
    productId: string,
    query?: SimilarQuery,
    options?: CallOptions,
  ): Promise<SimilarProductsResponse>;
  /** Former prices of a product, oldest first. Pass `nextCursor` as `cursor` for the next page. */
  listPriceHistory(
    productId: string,
    query?: PriceHistoryQuery,
    options?: CallOptions,
  ): Promise<PriceHistoryResponse>;
  /** The pages of a product's price history, one call each, until there are no more. */
  priceHistoryPages(
    productId: string,
    query?: PriceHistoryQuery,
    options?: CallOptions,
  ): AsyncGenerator<PriceHistoryResponse, void>;

  /** Gives the identifier of a picture, for `searchByImage({ imageId })`. */
  vectorizeImage(image: ImageInput, options?: CallOptions): Promise<VectorizeImageResponse>;
  /** Finds the objects in a picture; the `slug` of each is an `imageId`. */
  detectObjects(image: ImageInput, options?: CallOptions): Promise<DetectObjectsResponse>;
  /** The products that look most like a picture. A picture takes two calls, an identifier one. */
  searchByImage(
    image: ImageInput | { imageId: string },
    options?: CallOptions,
  ): Promise<SearchByImageResponse>;

  /** One page of products of marketplace A. */
  searchMarketplaceA(query: MarketplaceQuery, options?: CallOptions): Promise<MarketplaceASearchResponse>;
  /** One page of products of marketplace B. */
  searchMarketplaceB(query: MarketplaceQuery, options?: CallOptions): Promise<MarketplaceBSearchResponse>;
  /** The pages of a search of marketplace A, one call each, from `page` (1) until there are no more. */
  marketplaceAPages(
    query: MarketplaceQuery,
    options?: CallOptions,
  ): AsyncGenerator<MarketplaceASearchResponse, void>;
  /** The pages of a search of marketplace B, one call each, from `page` (1) until there are no more. */
  marketplaceBPages(
    query: MarketplaceQuery,
    options?: CallOptions,
  ): AsyncGenerator<MarketplaceBSearchResponse, void>;

  /** Brands whose name matches or resembles the query; `brand_not_found` when there is none. */
  searchBrands(request: SearchBrandsRequest, options?: CallOptions): Promise<SearchBrandsResponse>;

  /** A written answer that is grounded in products. */
  deepSearch(request: DeepSearchRequest, options?: CallOptions): Promise<DeepSearchResponse>;
  /**
   * The same answer while it is written. Ends after `done`; an `error` event is thrown, and so is a stream that breaks
   * off. `timeoutMs` bounds the whole stream, which is retried only until it has begun.
   */
  deepSearchStream(request: DeepSearchRequest, options?: CallOptions): AsyncGenerator<DeepSearchEvent, void>;

  /** The account's webhooks, newest first. */
  listWebhooks(options?: CallOptions): Promise<WebhookListResponse>;
  /** Creates a webhook. `data.apiKey` is shown only now: keep it for `verifyWebhook`. */
  createWebhook(
    request: CreateWebhookRequest,
    options?: ChangingCallOptions,
  ): Promise<WebhookWithKeyResponse>;
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<WebhookDeletedResponse>;
  /** What was sent to a webhook, newest first. Pass `nextCursor` as `cursor` for the next page. */
  listDeliveries(
    webhookId: string,
    query?: DeliveriesQuery,
    options?: CallOptions,
  ): Promise<WebhookDeliveryListResponse>;
  /** Sends the event of a delivery once more. */
  replayDelivery(
    webhookId: string,
    deliveryId: string,
    options?: ChangingCallOptions,
  ): Promise<WebhookDeliveryResponse>;
  /** Sends a sample event, marked by `data.test`. */
  testWebhook(webhookId: string, options?: ChangingCallOptions): Promise<WebhookDeliveryResponse>;
  /**
   * Gives the webhook a new key. Each former key signs as well for 24 hours, unless they are revoked; `key_limit_reached`
   * when three keys are valid already.
   */
  rotateWebhookKey(webhookId: string, options?: RotateKeyOptions): Promise<WebhookWithKeyResponse>;
  /** Turns a webhook on again that was disabled after failures. */
  enableWebhook(webhookId: string, options?: CallOptions): Promise<WebhookResponse>;
}
