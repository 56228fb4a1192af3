export { createInsightsClient, type InsightsClient } from "./insights.js";
export {
  createSearchClient,
  type Hit,
  type SearchClient,
  type SearchClientOptions,
  type SearchRequest,
  type SearchResult,
} from "./search-client.js";
