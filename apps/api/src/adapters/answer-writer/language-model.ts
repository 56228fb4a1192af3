import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, Output, streamText } from "ai";
import { z } from "zod";
import type { AnswerPlan } from "../../ports/answer-writer.ts";

export interface OpenAiCompatibleSettings {
  /** Up to and with the version, as in `https://models.example/v1`. */
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
}

/** One question to the model. */
export interface Question {
  rules: string;
  /** JSON with everything that came from outside. */
  data: string;
  /** Bounds the cost; an answer that needs more is cut off and not used. */
  maxTokens: number;
  signal: AbortSignal;
}

export interface LanguageModel {
  askForPlan(question: Question): Promise<AnswerPlan>;
  /** Finished sentences as they come. */
  askForSentences(question: Question): AsyncIterable<string>;
  askForSentence(question: Question): Promise<string>;
}

const planSchema = z.object({ isProductSearch: z.boolean(), searches: z.array(z.string()) });

/** The AI SDK, told to try once: whoever asks has a deadline and another writer at hand. */
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
      // Rejects when the whole is no such JSON; the elements before are valid all the same.
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
