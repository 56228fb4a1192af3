import type { AnswerBrief, AnswerPart, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import { ifRated, isReadable, quoteOf, type Wording } from "./wording.ts";

/** The best product for each of several things, and whether all of them together fit the budget. */
export function severalSentences(brief: AnswerBrief, wording: Wording): string[] {
  const { parts, together = [], togetherWithinLimit } = brief;
  const { several } = wording.texts;
  const chosen = parts.map((part) => chosenFor(part, brief));
  const each = parts.map((part, index) => sentenceFor(part, index, chosen[index], wording));
  const areTogether = chosen.filter((product) => together.includes(product?.reference ?? "")).length > 1;
  return [...each, ...(areTogether ? [several.together] : togetherWithinLimit ? [several.within] : [])];
}

function chosenFor(
  { references }: AnswerPart,
  { products, together = [] }: AnswerBrief,
): AnswerProduct | undefined {
  const inOrder = [...references.filter((reference) => together.includes(reference)), ...references];
  return inOrder.flatMap(
    (reference) => products.find((one) => one.reference === reference && one.speakable) ?? [],
  )[0];
}

function sentenceFor(
  part: AnswerPart,
  index: number,
  best: AnswerProduct | undefined,
  wording: Wording,
): string {
  const { texts, fill, quoted, thing } = wording;
  const { several } = texts;
  if (best === undefined) {
    const said = part.said === undefined ? thing(part, index) : quoted(`{w${index + 1}.said}`);
    return fill(several.nothing, { said });
  }
  const text =
    index === 0
      ? best.quoteIsReason
        ? several.firstReason
        : several.first
      : index === 2
        ? several.third
        : isReadable(best)
          ? several.second
          : several.plain;
  return fill(text, {
    best,
    said: thing(part, index),
    quote: quoteOf(best, wording),
    rated: ifRated(best, texts.rated),
    ratedEnd: ifRated(best, several.ratedEnd),
  });
}
