import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { unlessUsedUp } from "../../reading.ts";
import { comparable } from "../colours.ts";
import { fillerWords, prepositions } from "../phrases/grammar-words.ts";
import type { ThingDeps } from "../things.ts";
import type { Asked, AskedQuestion } from "./product-question.ts";

/** A question about a product of the catalog. */
export interface ProductQuestion {
  /** Undefined if the catalog has no product of that name. */
  product?: StoredProduct;
  topic: Asked;
  /** "It", "the second one": a product of the last answer, not a name. */
  isReference?: true;
}

interface Resolved {
  product: StoredProduct;
  /** The words that are not part of its name. */
  rest: readonly string[];
}

const looked = {
  filters: { source: "catalog" },
  sort: "relevance",
  order: "desc",
  offset: 0,
  limit: 2,
} as const;

/** So many words of a name tell one product from all others. Each word more would be one more search. */
const maxWordsOfName = 12;

/** Finds the product that a question names; undefined if it names none or many. */
export async function resolveQuestion(
  deps: ThingDeps,
  { subject, topic: asked, isCertain }: AskedQuestion,
  signal: AbortSignal,
): Promise<ProductQuestion | undefined> {
  const words = wordsOf(subject);
  const resolved = await unlessUsedUp(() => resolveName(deps, words, signal), undefined);
  if (resolved !== undefined) return { product: resolved.product, topic: asked ?? { words: resolved.rest } };
  const [first] = words;
  if (!isCertain || first === undefined || !subject.startsWith("the ")) return undefined;
  const isUnknown = (await deps.textSearch.wordFrequency(first)) === 0;
  return isUnknown ? { topic: asked ?? { words: [] } } : undefined;
}

/** The longest sequence of first words that names exactly one product. */
async function resolveName(
  { textSearch, catalogStore }: ThingDeps,
  words: readonly string[],
  signal: AbortSignal,
): Promise<Resolved | undefined> {
  const search = (count: number) =>
    textSearch.search({ ...looked, text: words.slice(0, count).join(" "), everyWord: true }, signal);
  for (let count = Math.min(words.length, maxWordsOfName); count > 0; count--) {
    const { rowIds, total, correctedText } = await search(count);
    const [product] =
      total === 0 || correctedText !== undefined ? [] : await catalogStore.findByRowIds(rowIds);
    if (product === undefined) continue;
    const name = new Set(comparable(`${product.brand ?? ""} ${product.name}`).split(" "));
    const end = words.findIndex((word) => !name.has(comparable(word)));
    const named = end < 0 ? words.length : end;
    if (named === 0 || (await search(named)).total !== 1) return undefined;
    return { product, rest: words.slice(named) };
  }
  return undefined;
}

export function wordsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'-]*/gu) ?? [];
  return words.filter((word) => !fillerWords.has(word) && !prepositions.has(word));
}
