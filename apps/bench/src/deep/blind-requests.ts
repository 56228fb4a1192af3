import { readShopperRequests } from "@product-search/testing/deep-search/shopper-requests.ts";
import rows from "./blind-requests.json" with { type: "json" };

/**
 * Requests that were written before deep search had answered any of them. Every other one, from the second on, was held
 * back while the rules were changed.
 */
export const blindRequests = readShopperRequests(rows);
