import type { CatalogSearchResponse, Product } from "@product-search/client";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";
import { foldName } from "./fold-name.ts";

const maxCategories = 12;

/** Enough of the best products that most of the large categories have one among them. */
const maxProducts = 60;

/** One of the largest categories, and a product that shows what it is. */
export interface CategorySample {
  category: string;
  count: number;
  product: Product | undefined;
}

export interface CategorySamples {
  /** The largest categories of the catalog; undefined while they are read, and without a token. */
  samples: readonly CategorySample[] | undefined;
  error: unknown;
  retry: () => void;
}

/** Read while they are wanted: where nothing was asked for yet. */
export function useCategorySamples(isWanted: boolean): CategorySamples {
  const { client, token } = useService();
  // A search for products of any rating is one for all of them.
  const request = useRequest(isWanted && token !== "" ? token : undefined, (signal) =>
    client.searchCatalog(
      { minRating: 0, count: maxProducts, grouped: true, facets: ["categories"] },
      { signal },
    ),
  );
  return {
    samples: request.response && toSamples(request.response),
    error: request.phase === "failed" ? request.error : undefined,
    retry: request.retry,
  };
}

function toSamples({ facets, Products }: CatalogSearchResponse): CategorySample[] {
  return (facets?.categories ?? []).slice(0, maxCategories).map(({ value, count }) => {
    const isOfIt = ({ category, images }: Product) =>
      category !== undefined && foldName(category) === foldName(value) && images.length > 0;
    return { category: value, count, product: Products.find(isOfIt) };
  });
}
