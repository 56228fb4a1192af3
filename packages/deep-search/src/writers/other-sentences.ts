import type { AnswerBrief, AnswerOutcome } from "@product-search/core/ports/answer-writer.ts";
import type { Wording } from "./wording.ts";

/** Answers without a product to name. */
type OtherOutcome = Exclude<AnswerOutcome, "found" | "comparison" | "product">;

const sentences: Record<OtherOutcome, (brief: AnswerBrief, wording: Wording) => string[]> = {
  greeting: (_, { texts: { other } }) => [other.greeting, other.invitation],
  thanks: (_, { texts: { other } }) => [other.thanks, other.thanksMore],
  service: (_, { texts: { other } }) => [other.service, other.invitation],
  question: (_, { texts: { other } }) => [other.question, other.invitation],
  contradiction: (_, { texts: { other } }) => [other.contradiction, other.change],
  absent: absentSentences,
  "unknown product": (_, { texts: { other } }) => [other.unknownProduct, other.check],
  "unclear product": (_, { texts: { other } }) => [other.unclearProduct, other.name],
  nothing: ({ hasPriceBound, otherCurrency }, { texts: { other, notes } }) => [
    ...(otherCurrency ? [notes.currency] : []),
    other.nothing,
    ...(hasPriceBound ? [other.bound] : []),
    other.tryOther,
  ],
};

/** That there is no such thing, by its name, and what comes nearest. */
function absentSentences(
  { parts, near, nearFor, isMaker }: AnswerBrief,
  { texts: { other }, fill, quoted, all }: Wording,
): string[] {
  const said = parts.flatMap((part, index) =>
    part.total === 0 && part.said !== undefined ? [quoted(`{w${index + 1}.said}`)] : [],
  );
  const place =
    nearFor === undefined ? [] : [fill(other.nearFor, { kinds: all(near), said: quoted("{nearFor}") })];
  const mentioned =
    nearFor === undefined && near.length > 0 ? [fill(other.mentioned, { kinds: all(near) })] : [];
  return [
    said.length === 0
      ? other.absentThing
      : fill(isMaker ? other.absentBrand : other.absent, { said: all(said) }),
    ...mentioned,
    ...(place.length > 0 ? place : [other.suggestions]),
  ];
}

export function otherSentences(brief: AnswerBrief, outcome: OtherOutcome, wording: Wording): string[] {
  return sentences[outcome](brief, wording);
}
