import type { FacetValue } from "@product-search/client";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";
import { writeAttributeFilter } from "./attribute-filter.ts";

export interface CatalogValues {
  brands: readonly FacetValue[];
  categories: readonly FacetValue[];
  /** As filters: `color:Black`. */
  attributes: readonly FacetValue[];
}

/** The largest brands, categories and values of attributes of the catalog, most products first: to choose from, and to make examples of. */
export function useCatalogValues(): CatalogValues {
  const { client, token } = useService();
  // A search for products of any rating is one for all of them.
  const request = useRequest(token || undefined, (signal) =>
    client.searchCatalog(
      { minRating: 0, count: 1, facets: ["brands", "categories", "attributes"] },
      { signal },
    ),
  );
  const { brands = [], categories = [], attributes = {} } = request.response?.facets ?? {};
  return {
    brands,
    categories,
    attributes: Object.entries(attributes).flatMap(([name, values]) =>
      values.map(({ value, count }) => ({ value: writeAttributeFilter(name, value), count })),
    ),
  };
}
