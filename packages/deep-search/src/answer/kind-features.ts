import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { comparable } from "../understanding/same-word.ts";
import { sentencesOf } from "./product-facts.ts";
import { isSpeakable } from "./speakable.ts";

const maxFeatures = 2;
const maxLength = 60;
const leastShare = 0.25;

/**
 * For each list of products, the features that several descriptions of those shown mention and no product of the other lists
 * does: backpacks have a laptop compartment, tote bags have long handles.
 */
export function distinctFeatures(
  lists: readonly (readonly StoredProduct[])[],
  shown: readonly StoredProduct[],
): string[][] {
  const counts = lists.map(countFeatures);
  return lists.map((list, index) => {
    const named = list.filter((product) => shown.includes(product));
    const own = countFeatures(named);
    const others = counts.filter((_, other) => other !== index);
    const least = Math.max(1, leastShare * named.length);
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
    const { count = 0, text: known = text } = counts.get(key) ?? {};
    // In the middle of a sentence: "long handles" of one product, and "Long handles" of another.
    counts.set(key, { text: startsSmall(known) ? known : text, count: count + 1 });
  }
  return counts;
}

function startsSmall(text: string): boolean {
  return /^\p{Ll}/u.test(text);
}

/** "Laptop compartment, bottle pockets." The first sentence says what the thing is; whole sentences name no feature. */
function featuresOf({ description }: StoredProduct): string[] {
  const pieces = sentencesOf(description)
    .slice(1)
    .filter((sentence) => !/\b(?:is|are)\b|^(?:the|this|it|our|we)\b/iu.test(sentence))
    .flatMap((sentence) => sentence.replace(/[.!?]+$/u, "").split(/, | and /u));
  return pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece.length <= maxLength && isQuotable(piece));
}

function isQuotable(piece: string): boolean {
  return piece.includes(" ") && isSpeakable(piece) && !/[\d“”„«»]/u.test(piece);
}
