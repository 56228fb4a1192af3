import type { AnswerBrief, UnmetCondition } from "@product-search/core/ports/answer-writer.ts";
import { comparable } from "../understanding/same-word.ts";
import { referencePattern } from "./render-sentence.ts";

/** Relaxed constraints without words to repeat, and the words that speak of them. */
const speaksOf: Readonly<Partial<Record<UnmetCondition, RegExp>>> = {
  rating: /\b(?:rat(?:ed|ing|ings)|reviews?|stars?)\b/u,
  discount: /\b(?:reduced|reductions?|discount(?:s|ed)?|sale|offer)\b/u,
  availability: /\b(?:available|availability|stock)\b/u,
  category: /\bcategor(?:y|ies)\b/u,
  other: /\b(?:words?|request|ask(?:ed)?)\b/u,
  newest: /\b(?:new|newer|newest)\b/u,
  popular: /\b(?:popular|bought|sold|sells?)\b/u,
};

const denial = /\b(?:not|no|none|nothing|nobody|never|neither|nor|cannot|without|unknown)\b|n['’]t\b/u;

/** The conditions of a brief that none of these sentences, which are in English, says are not met. */
export function unnamedConditions(brief: AnswerBrief, sentences: readonly string[]): UnmetCondition[] {
  const denials = sentences.map((sentence) => sentence.toLowerCase()).filter((text) => denial.test(text));
  const isNamed = (condition: UnmetCondition): boolean => {
    if (condition === "currency") return sentences.some((sentence) => sentence.includes("{currency}"));
    return denials.some((text) => names(text, condition, brief));
  };
  return conditionsOf(brief).filter((condition) => !isNamed(condition));
}

function names(text: string, condition: UnmetCondition, { unmet }: AnswerBrief): boolean {
  if (text.includes(`{${condition}}`)) return true;
  const own = text.replace(referencePattern, " | ");
  const said = unmet.find((_, index) => condition === `unmet.${index + 1}`)?.said;
  if (said !== undefined) return ` ${comparable(own)} `.includes(` ${comparable(said)} `);
  return speaksOf[condition]?.test(own) ?? false;
}

function conditionsOf(brief: AnswerBrief): UnmetCondition[] {
  const { unmet, relaxed, asksForNewest, asksForPopular, otherCurrency, leftOut } = brief;
  const withoutWords = relaxed.flatMap((name): UnmetCondition[] => {
    switch (name) {
      case "rating":
      case "discount":
      case "availability":
      case "category":
        return [name];
      default:
        return unmet.length > 0 ? [] : ["other"];
    }
  });
  return [
    ...unmet.map((_, index): UnmetCondition => `unmet.${index + 1}`),
    ...new Set(withoutWords),
    ...(asksForNewest ? (["newest"] as const) : []),
    ...(asksForPopular ? (["popular"] as const) : []),
    ...(leftOut !== undefined ? (["leftOut"] as const) : []),
    ...(otherCurrency ? (["currency"] as const) : []),
  ];
}
