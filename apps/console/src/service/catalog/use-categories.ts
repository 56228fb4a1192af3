import type { FacetValue } from "@product-search/client";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";

const maxCategories = 12;

/** The largest categories of the catalog: those of a search for products of any rating. */
export function useCategories() {
  const { client, token } = useService();
  const request = useRequest(token, (signal) =>
    client.searchCatalog({ minRating: 0, count: 1, facets: ["categories"] }, { signal }),
  );
  const categories: readonly FacetValue[] =
    request.response?.facets?.categories?.slice(0, maxCategories) ?? [];
  return { categories, error: request.phase === "failed" ? request.error : undefined, retry: request.retry };
}
