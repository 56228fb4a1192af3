import type { AnswerBrief, UnmetCondition } from "../../ports/answer-writer.ts";
import { wordingOf } from "./wording.ts";

/** What was not met or cannot be known, in one sentence; and the currency in another, because it says how prices are read. */
export function conditionSentences(
  { language, unmet }: AnswerBrief,
  conditions: readonly UnmetCondition[],
): string[] {
  const { texts, fill, quoted, any } = wordingOf(language);
  const { sentence, exclusion, ...rest } = texts.conditions;
  const phrases: Readonly<Partial<Record<UnmetCondition, string>>> = rest;
  const said = conditions.flatMap((condition) => {
    if (condition === "currency") return [];
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
    ...(conditions.includes("currency") ? [texts.notes.currency] : []),
  ];
}
