import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { AnswerPlan } from "@product-search/core/ports/answer-writer.ts";
import { generateText, Output, streamText } from "ai";
import { z } from "zod";

export interface OpenAiCompatibleSettings {
  /** Base URL including the version, such as `https://models.example/v1`. */
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
}

/** One request to the model. */
export interface Question {
  rules: string;
  /** JSON with all text from outside. */
  data: string;
  /** Limits the cost. A longer answer is cut off and not used. */
  maxTokens: number;
  signal: AbortSignal;
}

export interface LanguageModel {
  askForPlan(question: Question): Promise<AnswerPlan>;
  /** Complete sentences, as they arrive. */
  askForSentences(question: Question): AsyncIterable<string>;
  askForSentence(question: Question): Promise<string>;
}

const planSchema = z.object({ isProductSearch: z.boolean(), searches: z.array(z.string()) });

/** The AI SDK without retries: the caller has a deadline and a second writer. */
export function openLanguageModel({ baseUrl, model, apiKey }: OpenAiCompatibleSettings): LanguageModel {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const provider = createOpenAICompatible({
    name: "answers",
    baseURL: baseUrl,
    supportsStructuredOutputs: true,
    ...(apiKey !== undefined && { apiKey }),
  });
  const optionsOf = ({ rules, data, maxTokens, signal }: Question) => ({
    model: provider.chatModel(model),
    instructions: rules,
    prompt: data,
    maxOutputTokens: maxTokens,
    maxRetries: 0,
    abortSignal: signal,
  });
  return {
    async askForPlan(question) {
      return (await generateText({ ...optionsOf(question), output: Output.object({ schema: planSchema }) }))
        .output;
    },
    async *askForSentences(question) {
      let failure: unknown;
      const result = streamText({
        ...optionsOf(question),
        output: Output.array({ element: z.string() }),
        onError: ({ error }) => {
          failure = error;
        },
      });
      yield* result.elementStream;
      if (failure !== undefined) throw failure;
      // Rejects if the whole text is not valid JSON. The elements before the error are still used.
      await result.output;
      const reason = await result.finishReason;
      if (reason !== "stop") throw new Error(`The model stopped because of "${reason}".`);
    },
    async askForSentence(question) {
      const { output } = await generateText({
        ...optionsOf(question),
        output: Output.array({ element: z.string(), minItems: 1 }),
      });
      const [sentence] = output;
      if (sentence === undefined) throw new Error("The model wrote no sentence.");
      return sentence;
    },
  };
}
