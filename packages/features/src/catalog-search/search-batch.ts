import { escapeName } from "@product-search/core/domain/name-list.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { giveWay } from "@product-search/core/mechanisms/fair-queue.ts";
import type { CatalogBatchResult, CatalogSearchResponse } from "@product-search/types";
import type { RequestContext } from "../handler.ts";

type Search = ReturnType<RequestContext["readSearch"]>;

export interface SearchBatchDeps extends Pick<RequestContext, "countSearches" | "readSearch"> {
  search(search: Search): Promise<CatalogSearchResponse>;
}

/** Does the searches one after the other. One with a fault has an error as its result. */
export async function searchBatch(
  { countSearches, readSearch, search }: SearchBatchDeps,
  searches: readonly unknown[],
): Promise<CatalogBatchResult[]> {
  if (searches.length > 1) await countSearches(searches.length - 1);
  const results: CatalogBatchResult[] = [];
  for (const one of searches) {
    await giveWay();
    try {
      results.push(await search(escapeLists(readSearch(one))));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      const { message, code } = error;
      results.push({ status: "error", message, code });
    }
  }
  return results;
}

const lists = [
  "brands",
  "categories",
  "stores",
  "notBrands",
  "notCategories",
  "notStores",
  "facets",
] as const;

/** As in a query, where a backslash escapes. */
function escapeLists(search: Search): Search {
  const escaped = { ...search };
  for (const name of lists) {
    const list = search[name];
    if (list !== undefined) escaped[name] = list.map(escapeName);
  }
  for (const name of ["attributes", "notAttributes"] as const) {
    const list = search[name];
    if (list !== undefined) escaped[name] = list.map(escapeValue);
  }
  return escaped;
}

/** The value begins after the first colon that has no backslash before it. */
function escapeValue(pair: string): string {
  const [name = pair] = /^(\\.|[^\\:])*/.exec(pair) ?? [];
  return name + escapeName(pair.slice(name.length));
}
