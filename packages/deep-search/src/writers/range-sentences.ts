import type { AnswerBrief, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import { pickSentences } from "./pick-sentences.ts";
import type { Wording } from "./wording.ts";

/** What there is of a brand or in a store, the best of it and the cheapest. */
export function rangeSentences(
  brief: AnswerBrief,
  range: NonNullable<AnswerBrief["range"]>,
  best: AnswerProduct,
  wording: Wording,
): string[] {
  const { texts, fill, all } = wording;
  const text = range.of === "brand" ? texts.range.ofBrand : texts.range.ofStore;
  const [pick = ""] = pickSentences(brief, best, wording);
  const [cheapest] = brief.products.toSorted((one, other) => one.priceMinor - other.priceMinor);
  return [
    fill(text, { best, kinds: all(range.hasMore ? [...range.kinds, texts.range.andMore] : range.kinds) }),
    pick,
    ...(cheapest === undefined || cheapest === best || !cheapest.speakable
      ? []
      : [fill(texts.range.cheapest, { other: cheapest })]),
  ];
}
