import type { Client, Product } from "@product-search/client";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";
import { foldName } from "./fold-name.ts";
import { readShownCategories } from "./shown-categories.ts";

const maxCategories = 12;

/** Enough of the best products that most of the large categories have one among them. */
const maxProducts = 60;

/** Products with images come first as a rule: they have the higher score. */
const maxLookedAt = 5;

/** One of the largest categories, and a product that shows what it is. */
export interface CategorySample {
  category: string;
  count: number;
  product: Product | undefined;
}

export interface CategorySamples {
  /** The largest categories of the catalog; undefined while they are read, and without a token. */
  samples: readonly CategorySample[] | undefined;
  /** Names to make examples of: the categories, or brands or products where no category has a name. */
  topics: readonly string[];
  error: unknown;
  retry: () => void;
}

/** Read while they are wanted: where nothing was asked for yet. */
export function useCategorySamples(isWanted: boolean): CategorySamples {
  const { client, token } = useService();
  const request = useRequest(isWanted && token !== "" ? token : undefined, (signal) =>
    readSamples(client, signal),
  );
  return {
    samples: request.response?.samples,
    topics: request.response?.topics ?? [],
    error: request.phase === "failed" ? request.error : undefined,
    retry: request.retry,
  };
}

async function readSamples(client: Client, signal: AbortSignal) {
  const grouped = true;
  const facets = ["categories", "brands"] as const;
  // A search for products of any rating is one for all of them.
  const response = await client.searchCatalog(
    { minRating: 0, count: maxProducts, grouped, facets },
    { signal },
  );
  const { Products } = response;
  const { categories = [], brands = [] } = response.facets ?? {};
  const options = { categories, maxCount: maxCategories, grouped, signal };
  const shown = await readShownCategories(client, options);
  const samples = await Promise.all(
    shown.map(async ({ value, count }): Promise<CategorySample> => {
      const isOfIt = ({ category, images }: Product) =>
        category !== undefined && foldName(category) === foldName(value) && images.length > 0;
      const product = Products.find(isOfIt) ?? (await findSample(client, value, signal));
      return { category: value, count, product };
    }),
  );
  const names = [shown, brands].find((values) => values.length > 0)?.map(({ value }) => value);
  return { samples, topics: names ?? Products.map(({ name }) => name) };
}

/** The best product with an image of a category that none of the best products is in. A tile can do without. */
async function findSample(
  client: Client,
  category: string,
  signal: AbortSignal,
): Promise<Product | undefined> {
  const query = { categories: [category], count: maxLookedAt, grouped: true };
  try {
    const { Products } = await client.searchCatalog(query, { signal });
    return Products.find(({ images }) => images.length > 0);
  } catch {
    return undefined;
  }
}
