import type { Product } from "@product-search/client";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";
import { useCatalogValues } from "./use-catalog-values.ts";

const maxExamples = 4;

export interface QuestionExample {
  text: string;
  image: string | undefined;
}

/** How a shopper asks for the products of a category. */
const forms: readonly ((category: string, product: Product) => string)[] = [
  (category, { price }) => `${category} under ${roundUp(price)}`,
  (category) => `the best rated ${category}`,
  (category, { brand }) => (brand === undefined ? `${category} on sale` : `${category} by ${brand}`),
  (category) => `cheap ${category} as a gift`,
];

/** Questions that this catalog can answer, made of its largest categories; undefined while they are read. */
export function useQuestionExamples(): readonly QuestionExample[] | undefined {
  const { client, token } = useService();
  const { categories } = useCatalogValues();
  const names = categories.slice(0, maxExamples).map(({ value }) => value);
  const request = useRequest(names.length > 0 ? JSON.stringify([token, names]) : undefined, (signal) =>
    Promise.all(
      names.map(async (name, index): Promise<QuestionExample[]> => {
        const [product] = (await client.searchCatalog({ categories: [name], count: 1 }, { signal })).Products;
        const text = product && forms[index]?.(inSentence(name), product);
        return text === undefined ? [] : [{ text, image: product?.images[0] }];
      }),
    ),
  );
  return request.phase === "failed" ? [] : request.response?.flat();
}

/** The name of a category as it stands inside a sentence; `TVs` stays. */
function inSentence(name: string): string {
  return /^\p{Lu}[\p{Ll}\s]/u.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}

/** A price that somebody would say: 123 becomes 150. */
function roundUp(price: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(price, 1))) / 2;
  return Math.ceil(price / step) * step;
}
