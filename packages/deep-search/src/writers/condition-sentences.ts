import type { AnswerBrief, UnmetCondition } from "@product-search/core/ports/answer-writer.ts";
import { leftOutSentences } from "./note-sentences.ts";
import { wordingOf } from "./wording.ts";

/**
 * What was not met or cannot be known, in one sentence. What was left out and the currency are in others, because they say
 * how the request was read.
 */
export function conditionSentences(brief: AnswerBrief, conditions: readonly UnmetCondition[]): string[] {
  const { language, unmet } = brief;
  const wording = wordingOf(language);
  const { texts, fill, quoted, any } = wording;
  const { sentence, exclusion, ...rest } = texts.conditions;
  const phrases: Readonly<Partial<Record<UnmetCondition, string>>> = rest;
  const said = conditions.flatMap((condition) => {
    if (condition === "currency" || condition === "leftOut") return [];
    const phrase = phrases[condition];
    if (phrase !== undefined) return [phrase];
    const words = quoted(`{${condition}}`);
    const isExclusion = unmet.some(
      ({ reason }, index) => reason === "exclusion" && condition === `unmet.${index + 1}`,
    );
    return [isExclusion ? fill(exclusion, { said: words }) : words];
  });
  return [
    ...(said.length > 0 ? [fill(sentence, { said: any(said) })] : []),
    ...(conditions.includes("leftOut") ? leftOutSentences(brief, wording) : []),
    ...(conditions.includes("currency") ? [texts.notes.currency] : []),
  ];
}
