import type { AnswerWriter } from "../../ports/answer-writer.ts";
import type { LanguageModel, OpenAiCompatibleSettings } from "./language-model.ts";
import { answerPrompt, answerRules, planPrompt, planRules, repairPrompt, repairRules } from "./prompts.ts";

const maxTokens = { plan: 200, answer: 700, repair: 150 };

/** Has any endpoint of the OpenAI protocol write the answers. */
export function createOpenAiCompatibleAnswerWriter(settings: OpenAiCompatibleSettings): AnswerWriter {
  // 34 MB and 0.1 s that a service without a model, and one that is not asked, need not spend.
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
