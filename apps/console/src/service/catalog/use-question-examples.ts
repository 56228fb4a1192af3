import type { Product } from "@product-search/client";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";
import { inSentence, readShownCategories } from "./shown-categories.ts";
import { useCatalogValues } from "./use-catalog-values.ts";

const maxExamples = 4;

export interface QuestionExample {
  text: string;
  image: string | undefined;
}

/** How a shopper asks for the products of a category. */
const forms: readonly ((category: string, product: Product, hasRatings: boolean) => string)[] = [
  (category, { price }) => `${category} under ${roundUp(price)}`,
  (category, _, hasRatings) => `the ${hasRatings ? "best rated" : "cheapest"} ${category}`,
  (category, { brand }) => (brand === undefined ? `${category} in stock` : `${category} by ${brand}`),
  (category) => `cheap ${category} as a gift`,
];

/** Questions that this catalog can answer, made of its largest categories; undefined while they are read. */
export function useQuestionExamples(): readonly QuestionExample[] | undefined {
  const { client, token } = useService();
  const { categories } = useCatalogValues();
  const key = categories.length > 0 ? JSON.stringify([token, categories]) : undefined;
  const request = useRequest(key, async (signal) => {
    const options = { categories, maxCount: maxExamples, grouped: false, signal };
    const shown = await readShownCategories(client, options);
    return Promise.all(
      shown.map(async ({ value }, index): Promise<QuestionExample[]> => {
        const query = { categories: [value], count: 1, facets: ["rating"] } as const;
        const { Products, facets } = await client.searchCatalog(query, { signal });
        const [product] = Products;
        const hasRatings = (facets?.rating ?? []).some(({ count }) => count > 0);
        const text = product && forms[index]?.(inSentence(value), product, hasRatings);
        return text === undefined ? [] : [{ text, image: product?.images[0] }];
      }),
    );
  });
  return request.phase === "failed" ? [] : request.response?.flat();
}

/** A price that somebody would say: 123 becomes 150. */
function roundUp(price: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(price, 1))) / 2;
  return Math.ceil(price / step) * step;
}
