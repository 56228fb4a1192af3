import { toBrand } from "@product-search/core/domain/mapping/to-any-product.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { Brand } from "@product-search/types";

export interface SearchBrandsDeps {
  textSearch: Pick<TextSearch, "findBrands">;
  publicUrl: string;
}

const maxBrands = 20;

/** Brands of every source whose name contains or resembles the query, best first. */
export async function searchBrands(
  { textSearch, publicUrl }: SearchBrandsDeps,
  query: string,
): Promise<Brand[]> {
  const names = await textSearch.findBrands(query, maxBrands);
  if (names.length === 0) {
    throw new ApiError(
      "brand_not_found",
      `No brand found for "${query}". Try a shorter part of its name or another spelling.`,
    );
  }
  return names.map((name) => toBrand(name, publicUrl));
}
