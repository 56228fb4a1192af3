import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Marketplace, MarketplaceSource } from "@product-search/core/ports/marketplace-source.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";

export interface FeedSettings {
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
