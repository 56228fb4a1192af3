import type { TopProduct } from "@product-search/types";
import { fromMinor } from "../../domain/money.ts";
import type { StoredProduct } from "../../domain/product.ts";
import type { AnswerBrief, AnswerWriter } from "../../ports/answer-writer.ts";
import { AnswerWriterBusyError } from "../../ports/answer-writer.ts";
import type { CatalogStore } from "../../ports/catalog-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { TextSearch } from "../../ports/text-search.ts";
import { buildBrief } from "./answer/build-brief.ts";
import { renderSentence } from "./answer/render-sentence.ts";
import type { DeepSearchEvent, WriterName } from "./deep-search-event.ts";
import { createSentenceCheck } from "./grounding/check-sentence.ts";
import { type Finding, improveByPlan } from "./improve-by-plan.ts";
import { describe } from "./result/describe.ts";
import { otherOptions } from "./result/options.ts";
import { suggestQueries } from "./result/suggestions.ts";
import { retrieve } from "./retrieval/retrieve.ts";
import { understand } from "./understanding/understand.ts";
import { EmptyAnswerError, type Failure, UngroundedError, writeChecked } from "./write-answer.ts";

export interface DeepSearchDeps {
  textSearch: TextSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds" | "priceHistories">;
  /** Writes whenever the model does not. */
  builtInWriter: AnswerWriter;
  /** A language model, when the operator has set one up. */
  modelWriter?: AnswerWriter | undefined;
  clock: Clock;
  currency: string;
  /** Told of every answer: who wrote it, and why the model did not. */
  onAnswer?: ((writer: WriterName, failure: Failure | undefined) => void) | undefined;
  /** The model's share of the eight seconds that everything may take. */
  modelDeadlineMs?: number;
}

const defaultModelDeadlineMs = 7000;
const historyLength = 100;

/** Answers a request as a stream of events: the products, checked sentences, the whole result. */
export async function* runDeepSearch(
  deps: DeepSearchDeps,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<DeepSearchEvent> {
  const { textSearch, currency, modelWriter } = deps;
  const modelSignal = modelWriter === undefined ? signal : withDeadline(signal, deps.modelDeadlineMs);
  const finding = await find(deps, query, signal, modelSignal);
  const { understanding, retrieved } = finding;
  const { productCount } = retrieved;
  const topProducts = retrieved.products.map((product) => toTopProduct(product, currency));
  const brief = await briefFor(deps, query, finding);
  yield { type: "products", productCount, topProducts };
  const { sentences, writer } = yield* writeAnswer(deps, brief, signal, modelSignal);
  const data = {
    query,
    aiResponse: sentences.join(" "),
    description: describe(understanding, retrieved, currency),
    suggestions: await suggestQueries(textSearch, understanding, retrieved, currency, signal),
    otherOptions: otherOptions(retrieved, currency),
    productCount,
    topProducts,
  };
  yield { type: "done", writer, data };
}

function withDeadline(signal: AbortSignal, deadlineMs = defaultModelDeadlineMs): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
}

async function find(
  deps: DeepSearchDeps,
  query: string,
  signal: AbortSignal,
  modelSignal: AbortSignal,
): Promise<Finding> {
  const understanding = await understand(deps, query, signal);
  const found = { understanding, retrieved: await retrieve(deps, understanding, signal) };
  if (deps.modelWriter === undefined) return found;
  const improved = await improveByPlan(deps, deps.modelWriter, query, found, modelSignal);
  signal.throwIfAborted();
  return improved;
}

async function briefFor(
  { catalogStore, clock, currency }: DeepSearchDeps,
  request: string,
  finding: Finding,
): Promise<AnswerBrief> {
  const rowIds = finding.retrieved.products.map(({ rowId }) => rowId);
  const histories = await catalogStore.priceHistories(rowIds, historyLength);
  return buildBrief({ request, ...finding, histories, currency, nowMs: clock.now() });
}

interface Written {
  sentences: string[];
  writer: WriterName;
}

async function* writeAnswer(
  deps: DeepSearchDeps,
  brief: AnswerBrief,
  signal: AbortSignal,
  modelSignal: AbortSignal,
): AsyncGenerator<DeepSearchEvent, Written> {
  const { modelWriter, builtInWriter, textSearch, onAnswer } = deps;
  let failure: Failure | undefined;
  if (modelWriter !== undefined && brief.outcome === "found") {
    const sentences: string[] = [];
    try {
      const check = createSentenceCheck(brief, textSearch);
      yield* emit(writeChecked(modelWriter, brief, check, modelSignal), brief, sentences);
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

function toTopProduct(product: StoredProduct, currency: string): TopProduct {
  const { name, brand, storeName, priceMinor, averageRating } = product;
  return {
    name,
    storeName,
    price: fromMinor(priceMinor, currency),
    ...(brand !== undefined && { brand }),
    ...(averageRating !== undefined && { averageRating }),
  };
}
