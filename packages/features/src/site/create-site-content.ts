import { productSources } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { LocalImages } from "@product-search/core/ports/images.ts";
import type { SiteContent } from "@product-search/core/ports/site-content.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";

export interface SiteContentDeps {
  catalogStore: Pick<CatalogStore, "findBySlug" | "findByRowIds" | "pages" | "lastRowId">;
  textSearch: Pick<TextSearch, "search">;
  localImages: LocalImages;
}

const productsOfBrand = 24;

/** Looks up the contents of pages in the database and the text index. */
export function createSiteContent({ catalogStore, textSearch, localImages }: SiteContentDeps): SiteContent {
  return {
    async findProduct(slug) {
      const found = await Promise.all(productSources.map((source) => catalogStore.findBySlug(source, slug)));
      return found.find((product) => product !== undefined);
    },
    async findBrandProducts(brand, signal) {
      const query = {
        text: "",
        filters: { brands: [brand] },
        sort: "relevance",
        order: "desc",
        offset: 0,
        limit: productsOfBrand,
      } as const;
      const { rowIds } = await textSearch.search(query, signal);
      return catalogStore.findByRowIds(rowIds);
    },
    readImage: (path) => localImages.read(path),
    listPages: (afterRowId, limit) => catalogStore.pages(afterRowId, limit),
    lastRowId: () => catalogStore.lastRowId(),
  };
}
