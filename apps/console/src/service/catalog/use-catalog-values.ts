import type { FacetValue } from "@product-search/client";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";

export interface CatalogValues {
  brands: readonly FacetValue[];
  categories: readonly FacetValue[];
}

const none: CatalogValues = { brands: [], categories: [] };

/** The largest brands and categories of the catalog, most products first: to choose from, and to make examples of. */
export function useCatalogValues(): CatalogValues {
  const { client, token } = useService();
  // A search for products of any rating is one for all of them.
  const request = useRequest(token || undefined, (signal) =>
    client.searchCatalog({ minRating: 0, count: 1, facets: ["brands", "categories"] }, { signal }),
  );
  const { brands = [], categories = [] } = request.response?.facets ?? none;
  return { brands, categories };
}
