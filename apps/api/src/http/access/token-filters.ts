import type { TokenRecord } from "@product-search/core/ports/accounts.ts";
import type { CatalogFilters } from "@product-search/features/catalog-search/read-query.ts";
import { readTokenFilter, type TokenFilter } from "@product-search/features/catalog-search/token-filter.ts";
import { createSearchTextReader } from "@product-search/http-rules/requests/read-request.ts";

const keptFilters = 1000;

/** The filters of tokens, each read once. */
export function createTokenFilters(currency: string): (token: TokenRecord) => TokenFilter | undefined {
  const readSearch = createSearchTextReader<CatalogFilters>();
  const filters = new Map<string, TokenFilter>();
  return ({ filter: text }) => {
    if (text === undefined) return undefined;
    const known = filters.get(text) ?? readTokenFilter(text, readSearch, currency);
    if (filters.size >= keptFilters) filters.clear();
    filters.set(text, known);
    return known;
  };
}
