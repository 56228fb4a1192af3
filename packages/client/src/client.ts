import type {
  CatalogBatchResponse,
  CatalogSearchResponse,
  CreateWebhookRequest,
  DeepSearchEvent,
  DeepSearchRequest,
  DeepSearchResponse,
  DeleteProductResponse,
  DetectObjectsResponse,
  EventsRequest,
  EventsResponse,
  ListDeliveriesOperation,
  ListPriceHistoryOperation,
  ListRuleHistoryOperation,
  ListSynonymsOperation,
  OrderRulesRequest,
  operations,
  PreviewRuleRequest,
  PreviewRuleResponse,
  PriceHistoryResponse,
  ProductResponse,
  ProductRow,
  RelatedProductsOperation,
  RelatedProductsResponse,
  ReplaceRuleRequest,
  RuleDeletedResponse,
  RuleHistoryResponse,
  RuleListResponse,
  RuleRequest,
  RuleResponse,
  SearchBrandsRequest,
  SearchBrandsResponse,
  SearchByImageResponse,
  SearchInsightsOperation,
  SearchInsightsResponse,
  SearchMarketplaceAOperation,
  SearchTrialOperation,
  SimilarProductsOperation,
  SimilarProductsResponse,
  SuggestionsResponse,
  SuggestOperation,
  SynonymListResponse,
  SynonymRequest,
  SynonymResponse,
  TrialSearchResponse,
  UpsertProductsRequest,
  UpsertProductsResponse,
  VectorizeImageResponse,
  WebhookDeletedResponse,
  WebhookDeliveryListResponse,
  WebhookDeliveryResponse,
  WebhookListResponse,
  WebhookResponse,
  WebhookWithKeyResponse,
} from "@product-search/types";
import type { CallOptions, ImageInput, ImageQuery } from "./call-options.ts";
import type { CatalogQuery } from "./catalog-query.ts";

export type MarketplaceQuery = SearchMarketplaceAOperation["parameters"]["query"];

type MarketplaceSearch = keyof operations & `searchMarketplace${string}`;
type MarketplacePage<Search extends MarketplaceSearch> =
  operations[Search]["responses"][200]["content"]["application/json"];
/** `searchMarketplaceA` returns one page of products of marketplace A. */
type MarketplaceSearches = {
  [Search in MarketplaceSearch]: (
    query: MarketplaceQuery,
    options?: CallOptions,
  ) => Promise<MarketplacePage<Search>>;
};
/** `marketplaceAPages`: all pages of a search in marketplace A, starting at `page` (default 1), with one request per page. */
type MarketplacePages = {
  [Search in MarketplaceSearch as Search extends `search${infer Name}`
    ? `${Uncapitalize<Name>}Pages`
    : never]: (
    query: MarketplaceQuery,
    options?: CallOptions,
  ) => AsyncGenerator<MarketplacePage<Search>, void>;
};

export type MarketplaceMethods = MarketplaceSearches & MarketplacePages;

export type DeliveriesQuery = NonNullable<ListDeliveriesOperation["parameters"]["query"]>;

export type SuggestQuery = SuggestOperation["parameters"]["query"];

export type RelatedQuery = NonNullable<RelatedProductsOperation["parameters"]["query"]>;

export type SimilarQuery = NonNullable<SimilarProductsOperation["parameters"]["query"]>;

export type RuleHistoryQuery = NonNullable<ListRuleHistoryOperation["parameters"]["query"]>;

export type PriceHistoryQuery = NonNullable<ListPriceHistoryOperation["parameters"]["query"]>;

export type InsightsQuery = NonNullable<SearchInsightsOperation["parameters"]["query"]>;

export type SynonymsQuery = NonNullable<ListSynonymsOperation["parameters"]["query"]>;

export interface TrialQuery extends Omit<SearchTrialOperation["parameters"]["query"], "priceRange"> {
  /** Minimum and maximum price, inclusive. */
  priceRange?: readonly [minPrice: number, maxPrice: number];
}

export interface ChangingCallOptions extends CallOptions {
  /**
   * Makes retries safe: for 24 hours the same key returns the first response. Default: a new key for each call, which its retries
   * keep. Pass your own to repeat a call safely after your program was restarted.
   */
  idempotencyKey?: string;
}

export interface RotateKeyOptions extends ChangingCallOptions {
  /** Revokes all former keys at once, including the one that is replaced. Use it if a key has leaked. */
  revokeFormer?: boolean;
}

export interface UpsertOptions
  extends ChangingCallOptions,
    Pick<UpsertProductsRequest, "source" | "replaceGroups"> {}

/**
 * One method for each operation, and a few that make several requests. All return the body of the successful response. They throw
 * a `ProductSearchError`, or the reason of your `signal` if you abort.
 */
export interface Client extends MarketplaceMethods {
  /** Returns the five best products of the catalog for a text. Needs no token. */
  searchTrial(query: TrialQuery, options?: CallOptions): Promise<TrialSearchResponse>;

  /** Returns one page of the products that match a text, filters, or both, with facets. */
  searchCatalog(query: CatalogQuery, options?: CallOptions): Promise<CatalogSearchResponse>;
  /** Up to ten searches in one request: the response of each or, with `status: "error"`, what is wrong with it. */
  searchCatalogBatch(searches: readonly CatalogQuery[], options?: CallOptions): Promise<CatalogBatchResponse>;
  /** All pages of a catalog search, starting at `page` (default 1), with one request per page. */
  catalogPages(query: CatalogQuery, options?: CallOptions): AsyncGenerator<CatalogSearchResponse, void>;

  /** Returns completed queries, brands, categories and products for an incomplete text. */
  suggest(query: SuggestQuery, options?: CallOptions): Promise<SuggestionsResponse>;
  /** Returns the product of any source with this `_id`, or throws `product_not_found`. */
  getProduct(productId: string, options?: CallOptions): Promise<ProductResponse>;
  /** Returns the catalog products with the most similar images, without the product itself; those of its category if it has none. */
  similarProducts(
    productId: string,
    query?: SimilarQuery,
    options?: CallOptions,
  ): Promise<SimilarProductsResponse>;
  /** Returns products that look like one, or that are bought together with it; those of its category if there are none. */
  relatedProducts(
    productId: string,
    query?: RelatedQuery,
    options?: CallOptions,
  ): Promise<RelatedProductsResponse>;
  /** Returns the price history of a product, oldest first. Pass `nextCursor` as `cursor` to get the next page. */
  listPriceHistory(
    productId: string,
    query?: PriceHistoryQuery,
    options?: CallOptions,
  ): Promise<PriceHistoryResponse>;
  /** All pages of the price history of a product, with one request per page. */
  priceHistoryPages(
    productId: string,
    query?: PriceHistoryQuery,
    options?: CallOptions,
  ): AsyncGenerator<PriceHistoryResponse, void>;

  /** Uploads an image and returns its identifier, for `searchByImage({ imageId })`. */
  vectorizeImage(image: ImageInput, options?: CallOptions): Promise<VectorizeImageResponse>;
  /** Detects the objects in an image. The `slug` of each can be used as an `imageId`. */
  detectObjects(image: ImageInput, options?: CallOptions): Promise<DetectObjectsResponse>;
  /**
   * Returns the products with the most similar images, and the closest others if there are few. An image takes two
   * requests, an identifier one.
   */
  searchByImage(image: ImageInput | ImageQuery, options?: CallOptions): Promise<SearchByImageResponse>;

  /** Returns the brands whose name matches or resembles the query, or throws `brand_not_found`. */
  searchBrands(request: SearchBrandsRequest, options?: CallOptions): Promise<SearchBrandsResponse>;

  /** Returns a written answer that is based on products of the catalog. */
  deepSearch(request: DeepSearchRequest, options?: CallOptions): Promise<DeepSearchResponse>;
  /**
   * Streams the answer while it is written. The last event is `done`. Throws for an `error` event and for a stream that ends
   * early. `timeoutMs` applies to the whole stream. The request is retried only until the stream has started.
   */
  deepSearchStream(request: DeepSearchRequest, options?: CallOptions): AsyncGenerator<DeepSearchEvent, void>;

  /**
   * Creates, changes and deletes products. Takes any number of rows, from a list or a stream, and sends them in requests of at most
   * 1000, which do not split a group; with `replaceGroups`, all rows are read before the first request. The response adds up theirs,
   * and an error has those of the requests before it in `written`. `timeoutMs` is for each request. Needs a token with the scope
   * `catalog`, as does the next one.
   */
  upsertProducts(
    products: Iterable<ProductRow> | AsyncIterable<ProductRow>,
    options?: UpsertOptions,
  ): Promise<UpsertProductsResponse>;
  /** Deletes a product by its `_id` or its key, or throws `product_not_found`. */
  deleteProduct(productId: string, options?: CallOptions): Promise<DeleteProductResponse>;

  /** Returns the rules of the catalog search in their order. Needs a token with the scope `merchandising`, as do all below. */
  listRules(options?: CallOptions): Promise<RuleListResponse>;
  /** Creates a rule, which applies after the others. Throws `rule_limit_reached` if there are 1000, or they are too large. */
  createRule(request: RuleRequest, options?: CallOptions): Promise<RuleResponse>;
  /** Stores a rule anew. Throws `rule_changed` if somebody has changed it since its `updatedAt`. */
  replaceRule(ruleId: string, request: ReplaceRuleRequest, options?: CallOptions): Promise<RuleResponse>;
  deleteRule(ruleId: string, options?: CallOptions): Promise<RuleDeletedResponse>;
  /** Puts these rules first, in this order. */
  orderRules(request: OrderRulesRequest, options?: CallOptions): Promise<RuleListResponse>;
  /** Searches with the rules as they are, and with this one as well. Stores nothing. */
  previewRule(request: PreviewRuleRequest, options?: CallOptions): Promise<PreviewRuleResponse>;
  /** Returns one page of the changes of a rule, newest first. */
  listRuleHistory(
    ruleId: string,
    query?: RuleHistoryQuery,
    options?: CallOptions,
  ): Promise<RuleHistoryResponse>;

  /**
   * Reports up to 100 clicks, additions to the cart and purchases, with the `queryId` of the search that showed the product.
   * Needs a token with the scope `search`.
   */
  sendEvents(request: EventsRequest, options?: CallOptions): Promise<EventsResponse>;
  /** Returns what is searched for, what finds nothing, or what nobody clicks, with the totals of the period. */
  searchInsights(query?: InsightsQuery, options?: CallOptions): Promise<SearchInsightsResponse>;

  /** Returns the rules for synonyms, in alphabetical order. */
  listSynonyms(query?: SynonymsQuery, options?: CallOptions): Promise<SynonymListResponse>;
  /** Adds a rule for synonyms, such as `couch, sofa`. Searches apply it within two seconds. */
  addSynonym(request: SynonymRequest, options?: CallOptions): Promise<SynonymResponse>;
  /** Removes an added or an included rule for synonyms, or throws `rule_not_found`. */
  deleteSynonym(query: { rule: string }, options?: CallOptions): Promise<SynonymResponse>;

  /** Returns the webhooks of the account, newest first. */
  listWebhooks(options?: CallOptions): Promise<WebhookListResponse>;
  /** Creates a webhook. `data.apiKey` is returned only now: store it for `verifyWebhook`. */
  createWebhook(
    request: CreateWebhookRequest,
    options?: ChangingCallOptions,
  ): Promise<WebhookWithKeyResponse>;
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<WebhookDeletedResponse>;
  /** Returns the deliveries of a webhook, newest first. Pass `nextCursor` as `cursor` to get the next page. */
  listDeliveries(
    webhookId: string,
    query?: DeliveriesQuery,
    options?: CallOptions,
  ): Promise<WebhookDeliveryListResponse>;
  /** Sends the event of a delivery again. */
  replayDelivery(
    webhookId: string,
    deliveryId: string,
    options?: ChangingCallOptions,
  ): Promise<WebhookDeliveryResponse>;
  /** Sends a sample event with `data.test: true`. */
  testWebhook(webhookId: string, options?: ChangingCallOptions): Promise<WebhookDeliveryResponse>;
  /**
   * Creates a new key. Former keys stay valid for 24 hours unless you revoke them. Throws `key_limit_reached` if three keys are
   * already valid.
   */
  rotateWebhookKey(webhookId: string, options?: RotateKeyOptions): Promise<WebhookWithKeyResponse>;
  /** Enables a webhook that was disabled after failures. */
  enableWebhook(webhookId: string, options?: CallOptions): Promise<WebhookResponse>;
}
