import type { AnswerWriter } from "@product-search/core/ports/answer-writer.ts";
import type { LanguageModel, OpenAiCompatibleSettings } from "./language-model.ts";
import { answerPrompt, answerRules, planPrompt, planRules, repairPrompt, repairRules } from "./prompts.ts";

const maxTokens = { plan: 200, answer: 700, repair: 150 };

/** A writer that uses any OpenAI-compatible endpoint. */
export function createOpenAiCompatibleAnswerWriter(settings: OpenAiCompatibleSettings): AnswerWriter {
  // Loaded on first use: it takes 34 MB and 0.1 s, which a service without a model does not need.
  let loading: Promise<LanguageModel> | undefined;
  const model = (): Promise<LanguageModel> => {
    loading ??= import("./language-model.ts").then(({ openLanguageModel }) => openLanguageModel(settings));
    return loading;
  };
  return {
    async plan(request, signal) {
      const data = planPrompt(request);
      return (await model()).askForPlan({ rules: planRules, data, maxTokens: maxTokens.plan, signal });
    },
    async *write(brief, signal) {
      const data = answerPrompt(brief);
      yield* (await model()).askForSentences({
        rules: answerRules,
        data,
        maxTokens: maxTokens.answer,
        signal,
      });
    },
    async repair(brief, refusal, signal) {
      const data = repairPrompt(brief, refusal);
      return (await model()).askForSentence({
        rules: repairRules,
        data,
        maxTokens: maxTokens.repair,
        signal,
      });
    },
  };
}
