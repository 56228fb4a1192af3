import { toBrand } from "@product-search/core/domain/mapping/to-brand.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { SuggestionsResponse } from "@product-search/types";
import { type ReadProductsDeps, readProducts } from "./read-products.ts";

export interface SuggestDeps extends ReadProductsDeps {
  textSearch: Pick<TextSearch, "suggest">;
}

const limits = { queryLimit: 8, nameLimit: 5, productLimit: 5 };

/** Completes the text that a user types. */
export async function suggest(
  deps: SuggestDeps,
  { q }: { q: string },
  signal: AbortSignal,
): Promise<SuggestionsResponse> {
  const found = await deps.textSearch.suggest({ text: q, source: "catalog", ...limits }, signal);
  return {
    status: "success",
    queries: found.queries,
    brands: found.brands.map((name) => toBrand(name, deps.publicUrl)),
    categories: found.categories,
    Products: await readProducts(deps, found.rowIds),
  };
}
