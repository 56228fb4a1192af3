import {
  type AnswerBrief,
  AnswerWriterBusyError,
  type BuiltInAnswerWriter,
} from "@product-search/core/ports/answer-writer.ts";
import { renderSentence } from "./answer/render-sentence.ts";
import { unnamedConditions } from "./answer/unnamed-conditions.ts";
import type { DeepSearchDeps } from "./deep-search-deps.ts";
import type { DeepSearchEvent, WriterName } from "./deep-search-event.ts";
import { createSentenceCheck } from "./grounding/check-sentence.ts";
import { EmptyAnswerError, type Failure, UngroundedError, writeChecked } from "./write-checked.ts";

export interface Written {
  sentences: string[];
  writer: WriterName;
}

/** Yields checked sentences: the model's if there is a model and its sentences pass, else the built-in writer's. */
export async function* writeAnswer(
  deps: DeepSearchDeps,
  brief: AnswerBrief,
  signal: AbortSignal,
  modelSignal: AbortSignal,
): AsyncGenerator<DeepSearchEvent, Written> {
  const { modelWriter, builtInWriter, textSearch, onAnswer } = deps;
  let failure: Failure | undefined;
  // The check of a model's sentences knows English only.
  if (modelWriter !== undefined && brief.outcome === "found" && brief.language === "en") {
    const sentences: string[] = [];
    try {
      const check = createSentenceCheck(brief, textSearch);
      const written = writeChecked(modelWriter, brief, check, modelSignal);
      yield* emit(withConditions(written, brief, builtInWriter), brief, sentences);
      onAnswer?.("model", undefined);
      return { sentences, writer: "model" };
    } catch (error) {
      signal.throwIfAborted();
      failure = failureOf(error, modelSignal);
      if (sentences.length > 0) yield { type: "restart" };
    }
  }
  const sentences: string[] = [];
  yield* emit(builtInWriter.write(brief, signal), brief, sentences);
  onAnswer?.("built-in", failure);
  return { sentences, writer: "built-in" };
}

/** A model may leave out what it was told to say: then a sentence is added that names every unmet condition. */
async function* withConditions(
  written: AsyncIterable<string>,
  brief: AnswerBrief,
  builtInWriter: BuiltInAnswerWriter,
): AsyncGenerator<string> {
  const sentences: string[] = [];
  for await (const sentence of written) {
    sentences.push(sentence);
    yield sentence;
  }
  yield* builtInWriter.nameConditions(brief, unnamedConditions(brief, sentences));
}

async function* emit(
  written: AsyncIterable<string>,
  brief: AnswerBrief,
  sentences: string[],
): AsyncGenerator<DeepSearchEvent> {
  for await (const sentence of written) {
    const text = renderSentence(sentence, brief);
    yield { type: "delta", text: sentences.length === 0 ? text : ` ${text}` };
    sentences.push(text);
  }
}

function failureOf(error: unknown, modelSignal: AbortSignal): Failure {
  if (error instanceof UngroundedError) return "ungrounded";
  if (error instanceof EmptyAnswerError) return "empty";
  if (error instanceof AnswerWriterBusyError) return "busy";
  return modelSignal.aborted ? "deadline" : "failed";
}
