import {
  type MarketplaceItem,
  marketplaceItems,
  type Presentation,
  toBrand,
} from "@product-search/core/domain/mapping/to-product.ts";
import { allowsNextPage, offsetOfPage } from "@product-search/core/domain/page-window.ts";
import { readFilters } from "@product-search/core/domain/query-understanding/read-filters.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type {
  Freshness,
  Marketplace,
  MarketplaceSource,
} from "@product-search/core/ports/marketplace-source.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { MarketplacePage, MarketplacePosition } from "@product-search/types";

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

interface MarketplaceBody<Of extends Marketplace> extends MarketplacePage {
  source: Of;
  Products: (MarketplaceItem<Of> & MarketplacePosition)[];
}

export async function searchMarketplace<Of extends Marketplace>(
  deps: SearchMarketplaceDeps,
  marketplace: Of,
  { q, literal = false, count = 20, page = 1 }: MarketplaceParameters,
  signal: AbortSignal,
): Promise<MarketplaceResponse<MarketplaceBody<Of>>> {
  const offset = offsetOfPage(page, count);
  const read = literal ? {} : { read: await readFilters(q, deps.currency) };
  const [response, brands] = await Promise.all([
    deps.marketplaceSources[marketplace].search({ text: q, offset, limit: count, ...read }, signal),
    deps.textSearch.brandsNamedIn(q),
  ]);
  const toItem = marketplaceItems[marketplace];
  return {
    headers: freshnessHeaders(response.freshness),
    body: {
      status: "success",
      Products: response.items.map((item, at) => ({ ...toItem(item, deps), position: offset + at + 1 })),
      hasMore: response.hasMore && allowsNextPage(page, count),
      count: response.total,
      storeBrandMatch: brands.map((name) => toBrand(name, deps.publicUrl)),
      source: marketplace,
      secondhand: deps.secondhandSources.includes(marketplace),
      page,
      limit: count,
    },
  };
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
