import type { MarketplaceListing } from "../../domain/product.ts";
import type { Marketplace, MarketplaceSource } from "../../ports/marketplace-source.ts";

/** What the feed source asks of the text index and of the catalog; compose hands both in. */
export interface FeedSettings {
  marketplace: Marketplace;
  textSearch: {
    search(
      query: {
        text: string;
        filters: { source: Marketplace };
        sort: "relevance";
        order: "desc";
        offset: number;
        limit: number;
      },
      signal: AbortSignal,
    ): Promise<{ rowIds: number[]; total: number }>;
  };
  catalogStore: { findByRowIds(rowIds: readonly number[]): Promise<MarketplaceListing[]> };
}

/** Searches what was imported for the marketplace, in our own index. */
export function createFeedSource({ marketplace, textSearch, catalogStore }: FeedSettings): MarketplaceSource {
  return {
    async search({ text, offset, limit }, signal) {
      const { rowIds, total } = await textSearch.search(
        { text, filters: { source: marketplace }, sort: "relevance", order: "desc", offset, limit },
        signal,
      );
      const items = await catalogStore.findByRowIds(rowIds);
      return { items, total, hasMore: offset + limit < total };
    },
  };
}
