import type { StoredProduct } from "../../../domain/product.ts";
import { comparable } from "../understanding/same-word.ts";
import { sentencesOf } from "./product-facts.ts";
import { isSpeakable } from "./speakable.ts";

const maxFeatures = 2;
const maxLength = 60;
const leastShare = 0.25;

/**
 * For each list of products, the features that several of its descriptions mention and none of the other lists does:
 * backpacks have a laptop compartment, tote bags have long handles.
 */
export function distinctFeatures(lists: readonly (readonly StoredProduct[])[]): string[][] {
  const counts = lists.map(countFeatures);
  return counts.map((own, index) => {
    const others = counts.filter((_, other) => other !== index);
    const least = Math.max(1, leastShare * (lists[index]?.length ?? 0));
    return [...own]
      .filter(([key, { count }]) => count >= least && !others.some((other) => other.has(key)))
      .toSorted(([, one], [, other]) => other.count - one.count)
      .slice(0, maxFeatures)
      .map(([, { text }]) => text);
  });
}

interface Counted {
  text: string;
  count: number;
}

function countFeatures(products: readonly StoredProduct[]): Map<string, Counted> {
  const counts = new Map<string, Counted>();
  for (const text of products.flatMap(featuresOf)) {
    const key = comparable(text);
    const { count = 0, text: first = text } = counts.get(key) ?? {};
    counts.set(key, { text: first, count: count + 1 });
  }
  return counts;
}

/** "Laptop compartment, bottle pockets." The first sentence says what the thing is. */
function featuresOf({ description }: StoredProduct): string[] {
  const pieces = sentencesOf(description)
    .slice(1)
    .flatMap((sentence) => sentence.replace(/[.!?]+$/u, "").split(/, | and /u));
  return pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece.length <= maxLength && isQuotable(piece));
}

function isQuotable(piece: string): boolean {
  return piece.includes(" ") && isSpeakable(piece) && !/[\d“”„«»]/u.test(piece);
}
