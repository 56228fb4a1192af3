export { createInsightsClient, type InsightsClient } from "./insights.js";
export type { SearchRequest } from "./plan.js";
export type { Hit, SearchResult } from "./results.js";
export {
  createSearchClient,
  type RecommendRequest,
  type SearchClient,
  type SearchClientOptions,
} from "./search-client.js";
