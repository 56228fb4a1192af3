import type { AnswerBrief, BuiltInAnswerWriter } from "@product-search/core/ports/answer-writer.ts";
import { comparisonSentences } from "./comparison-sentences.ts";
import { conditionSentences } from "./condition-sentences.ts";
import { foundSentences } from "./found-sentences.ts";
import { leftOutSentences } from "./note-sentences.ts";
import { otherSentences } from "./other-sentences.ts";
import { productSentences } from "./product-sentences.ts";
import { wordingOf } from "./wording.ts";

/** Composes the answer from the products by rules, without a model or key. The same request always gets the same answer. */
export function createBuiltInAnswerWriter(): BuiltInAnswerWriter {
  return {
    plan: async () => undefined,
    nameConditions: conditionSentences,
    async *write(brief, signal) {
      signal.throwIfAborted();
      yield* leftOutSentences(brief, wordingOf(brief.language));
      yield* sentencesOf(brief);
    },
    async repair(_brief, { sentence, fault }) {
      throw new Error(
        `The built-in writer has no other words for "${sentence}", which is refused: ${fault}.`,
      );
    },
  };
}

function sentencesOf(brief: AnswerBrief): string[] {
  const wording = wordingOf(brief.language);
  switch (brief.outcome) {
    case "found":
      return foundSentences(brief, wording);
    case "comparison":
      return comparisonSentences(brief, wording);
    case "product":
      return productSentences(brief, wording);
    default:
      return otherSentences(brief, brief.outcome, wording);
  }
}
