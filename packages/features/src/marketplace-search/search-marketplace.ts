import {
  toBrand,
  toMarketplaceAItem,
  toMarketplaceBItem,
} from "@product-search/core/domain/mapping/to-any-product.ts";
import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import { allowsNextPage, offsetOfPage } from "@product-search/core/domain/page-window.ts";
import type { MarketplaceListing } from "@product-search/core/domain/product.ts";
import { readFilters } from "@product-search/core/domain/query-understanding/read-filters.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type {
  Freshness,
  Marketplace,
  MarketplaceSource,
} from "@product-search/core/ports/marketplace-source.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { MarketplaceASearchResponse, MarketplaceBSearchResponse } from "@product-search/types";

export interface SearchMarketplaceDeps extends Presentation {
  marketplaceSources: Readonly<Record<Marketplace, MarketplaceSource>>;
  textSearch: Pick<TextSearch, "brandsNamedIn">;
  /** The marketplaces of second-hand goods. */
  secondhandSources: readonly string[];
}

export interface MarketplaceParameters {
  q: string;
  /** Read no filters in `q`. */
  literal?: boolean;
  count?: number;
  page?: number;
}

/** A response with its freshness headers. */
export interface MarketplaceResponse<Body> {
  body: Body;
  headers: Record<string, string>;
}

export async function searchMarketplaceA(
  deps: SearchMarketplaceDeps,
  parameters: MarketplaceParameters,
  signal: AbortSignal,
): Promise<MarketplaceResponse<MarketplaceASearchResponse>> {
  const { found, envelope, headers } = await search(deps, "marketplace-a", parameters, signal);
  const Products = numbered(found, (item) => toMarketplaceAItem(item, deps));
  return { body: { ...envelope, source: "marketplace-a", Products }, headers };
}

export async function searchMarketplaceB(
  deps: SearchMarketplaceDeps,
  parameters: MarketplaceParameters,
  signal: AbortSignal,
): Promise<MarketplaceResponse<MarketplaceBSearchResponse>> {
  const { found, envelope, headers } = await search(deps, "marketplace-b", parameters, signal);
  const Products = numbered(found, (item) => toMarketplaceBItem(item, deps));
  return { body: { ...envelope, source: "marketplace-b", Products }, headers };
}

interface Found {
  items: readonly MarketplaceListing[];
  offset: number;
}

async function search(
  { marketplaceSources, textSearch, secondhandSources, publicUrl, currency }: SearchMarketplaceDeps,
  marketplace: Marketplace,
  { q, literal = false, count = 20, page = 1 }: MarketplaceParameters,
  signal: AbortSignal,
) {
  const offset = offsetOfPage(page, count);
  const [response, brands] = await Promise.all([
    marketplaceSources[marketplace].search(
      { text: q, offset, limit: count, ...(!literal && { read: readFilters(q, currency) }) },
      signal,
    ),
    textSearch.brandsNamedIn(q),
  ]);
  return {
    found: { items: response.items, offset },
    headers: freshnessHeaders(response.freshness),
    envelope: {
      status: "success" as const,
      hasMore: response.hasMore && allowsNextPage(page, count),
      count: response.total,
      storeBrandMatch: brands.map((name) => toBrand(name, publicUrl)),
      secondhand: secondhandSources.includes(marketplace),
      page,
      limit: count,
    },
  };
}

function numbered<Item>(
  { items, offset }: Found,
  toItem: (listing: MarketplaceListing) => Item,
): (Item & { position: number })[] {
  return items.map((listing, at) => ({ ...toItem(listing), position: offset + at + 1 }));
}

/** `Age` (RFC 9111) and `Cache-Status` (RFC 9211) of a response of a live marketplace; none for an imported one. */
function freshnessHeaders(freshness: Freshness | undefined): Record<string, string> {
  if (!freshness) return {};
  return {
    age: String(Math.max(0, Math.floor(freshness.ageSeconds))),
    "cache-status": `product-search; ${parameters(freshness)}`,
  };
}

function parameters({ from, freshForSeconds }: Freshness): string {
  switch (from) {
    case "miss":
      return "fwd=miss; stored";
    case "shared":
      return "fwd=miss; collapsed";
    case "cache":
      return `hit; ttl=${Math.floor(freshForSeconds)}`;
    case "stale":
      return `hit; ttl=${Math.floor(freshForSeconds)}; detail=upstream-failed`;
  }
}

interface FeedSettings {
  marketplace: Marketplace;
  textSearch: Pick<TextSearch, "search">;
  catalogStore: Pick<CatalogStore, "findByRowIds">;
}

/** Searches the products imported for the marketplace, in our own index. */
export function createFeedSource({ marketplace, textSearch, catalogStore }: FeedSettings): MarketplaceSource {
  return {
    async search({ text, read = { words: text, filters: {} }, offset, limit }, signal) {
      const { rowIds, total } = await textSearch.search(
        {
          text: read.words,
          filters: { source: marketplace, ...read.filters },
          sort: "relevance",
          order: "desc",
          offset,
          limit,
        },
        signal,
      );
      const items = await catalogStore.findByRowIds(rowIds);
      return { items, total, hasMore: offset + limit < total };
    },
  };
}
