export * from "@product-search/types";
export {
  type CallOptions,
  type ClientOptions,
  type ImageInput,
  type ImageQuery,
  withResponse,
} from "./call-options.ts";
export type { CatalogFacet, CatalogQuery } from "./catalog-query.ts";
export type {
  ChangingCallOptions,
  Client,
  DeliveriesQuery,
  InsightsQuery,
  MarketplaceQuery,
  PriceHistoryQuery,
  RelatedQuery,
  RotateKeyOptions,
  RuleHistoryQuery,
  SimilarQuery,
  SuggestQuery,
  SynonymsQuery,
  TrialQuery,
  UpsertOptions,
} from "./client.ts";
export { createClient } from "./create-client.ts";
export {
  isProductSearchError,
  type NoResponseFailure,
  type ProductSearchError,
  type ServiceFailure,
  type UnexpectedFailure,
  type WrittenProducts,
} from "./failures.ts";
export {
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from "./verify-webhook.ts";
