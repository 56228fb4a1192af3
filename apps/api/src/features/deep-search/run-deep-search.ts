import type { TopProduct } from "@product-search/types";
import { fromMinor } from "../../domain/price/money.ts";
import type { StoredProduct } from "../../domain/product.ts";
import type { AnswerBrief } from "../../ports/answer-writer.ts";
import { createAsWritten } from "./answer/as-written.ts";
import { buildBrief } from "./answer/build-brief.ts";
import { chooseQuotes } from "./answer/choose-quotes.ts";
import { findUnmet } from "./answer/find-unmet.ts";
import { factsAbout } from "./answer/product-facts.ts";
import type { Conversation } from "./conversation.ts";
import type { DeepSearchDeps } from "./deep-search-deps.ts";
import type { DeepSearchEvent } from "./deep-search-event.ts";
import { type Finding, improveByPlan } from "./improve-by-plan.ts";
import { describe } from "./result/describe.ts";
import { otherOptions } from "./result/options.ts";
import { suggestQueries } from "./result/suggestions.ts";
import { retrieve } from "./retrieval/retrieve.ts";
import { understandConversation } from "./understand-conversation.ts";
import { writeAnswer } from "./write-answer.ts";

const defaultModelDeadlineMs = 7000;
const historyLength = 100;

/** Answers a request as a stream of events: the products, checked sentences, then the whole result. */
export async function* runDeepSearch(
  deps: DeepSearchDeps,
  conversation: Required<Conversation>,
  signal: AbortSignal,
): AsyncGenerator<DeepSearchEvent> {
  const { textSearch, currency, modelWriter } = deps;
  const { query } = conversation;
  const modelSignal = modelWriter === undefined ? signal : withDeadline(signal, deps.modelDeadlineMs);
  const finding = await find(deps, conversation, signal, modelSignal);
  const { understanding, retrieved } = finding;
  const { productCount } = retrieved;
  const topProducts = retrieved.products.map((product) => toTopProduct(product, currency));
  const brief = await briefFor(deps, conversation, finding, signal);
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
  conversation: Required<Conversation>,
  signal: AbortSignal,
  modelSignal: AbortSignal,
): Promise<Finding> {
  const understanding = await understandConversation(deps, conversation, signal);
  const found = { understanding, retrieved: await retrieve(deps, understanding, signal) };
  if (deps.modelWriter === undefined) return found;
  const improved = await improveByPlan(deps, deps.modelWriter, conversation, found, modelSignal);
  signal.throwIfAborted();
  return improved;
}

async function briefFor(
  { catalogStore, textSearch, clock, currency }: DeepSearchDeps,
  { query: request, history }: Required<Conversation>,
  finding: Finding,
  signal: AbortSignal,
): Promise<AnswerBrief> {
  const { understanding, retrieved } = finding;
  const { product, asked = "everything" } = understanding.question ?? {};
  const facts = product === undefined ? undefined : factsAbout(product, asked);
  const quotes = await chooseQuotes(understanding, retrieved, facts, textSearch);
  const rowIds = retrieved.products.map(({ rowId }) => rowId);
  const histories = await catalogStore.priceHistories(rowIds, historyLength);
  const asWritten = createAsWritten([request, ...history.toReversed()], understanding.typed);
  const unmet = await findUnmet({ textSearch, catalogStore }, understanding, retrieved, asWritten, signal);
  const texts = { request, history, facts, quotes, unmet, asWritten };
  return buildBrief({ ...finding, ...texts, histories, currency, nowMs: clock.now() });
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
