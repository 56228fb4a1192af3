import type { AnswerBrief, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import { alternativeSentences, secondSentences } from "./alternative-sentences.ts";
import { noteSentences } from "./note-sentences.ts";
import { pickSentences } from "./pick-sentences.ts";
import { rangeSentences } from "./range-sentences.ts";
import { severalSentences } from "./several-sentences.ts";
import type { Wording } from "./wording.ts";

/** Maximum number of sentences in an answer. */
export const maxSentences = 4;

/** The answer to a request that found products: what could not be met, which product to choose and why, what else. */
export function foundSentences(brief: AnswerBrief, wording: Wording): string[] {
  const notes = noteSentences(brief, wording);
  const best = brief.products.find(({ speakable }) => speakable);
  if (best === undefined) return [...notes, wording.texts.product.list];
  if (brief.parts.length > 1)
    return [...notes, ...severalSentences(brief, wording)].slice(
      0,
      Math.max(maxSentences, brief.parts.length) + 1,
    );
  if (brief.range !== undefined)
    return [...notes, ...rangeSentences(brief, brief.range, best, wording)].slice(0, maxSentences);
  const [pick = "", ...about] = pickSentences(brief, best, wording);
  const sentences = [
    ...notes,
    ...onlyKindNote(brief, wording),
    pick,
    ...about,
    ...nextInStock(brief, best, wording),
    ...alternativeSentences(brief, best, wording),
  ];
  return sentences.length > 1
    ? sentences.slice(0, maxSentences)
    : [...sentences, ...secondSentences(brief, best, wording)];
}

/** "Anything for a picnic?": if only speakers mention one, that is said. */
function onlyKindNote({ onlyKind }: AnswerBrief, { texts, fill, quoted }: Wording): string[] {
  if (onlyKind === undefined) return [];
  return [fill(texts.more.onlyKind, { kinds: onlyKind.kind, said: quoted("{onlyKind}") })];
}

/** If the user asked for an order, an unavailable product may come first. Then the first available one is named as well. */
function nextInStock(
  { sortedBy, products }: AnswerBrief,
  best: AnswerProduct,
  { texts, fill }: Wording,
): string[] {
  if (sortedBy === "relevance" || best.availability === "in_stock") return [];
  const other = products.find(({ availability, speakable }) => availability === "in_stock" && speakable);
  return other === undefined ? [] : [fill(texts.more.inStock, { other })];
}
