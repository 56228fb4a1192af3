import type { FairTurns, Turn } from "@product-search/core/domain/fair-turns.ts";
import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { AnswerBrief } from "@product-search/core/ports/answer-writer.ts";
import type { DeepSearchResult, TopProduct } from "@product-search/types";
import { createAsWritten } from "./answer/as-written.ts";
import { buildBrief } from "./answer/build-brief.ts";
import { chooseQuotes } from "./answer/choose-quotes.ts";
import { findUnmet } from "./answer/find-unmet.ts";
import { leftOutOf } from "./answer/left-out.ts";
import { factsAbout } from "./answer/product-facts.ts";
import type { Conversation } from "./conversation.ts";
import type { DeepSearchDeps } from "./deep-search-deps.ts";
import type { DeepSearchEvent } from "./deep-search-event.ts";
import { type Finding, improveByPlan } from "./improve-by-plan.ts";
import { createReading, type Reading, searchForReading } from "./reading.ts";
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
  deps: DeepSearchDeps & { turns: FairTurns },
  conversation: Required<Conversation>,
  signal: AbortSignal,
  caller: string,
): AsyncGenerator<DeepSearchEvent> {
  const { query } = conversation;
  const turn = await deps.turns.take(caller, signal);
  const modelSignal = deps.modelWriter === undefined ? signal : withDeadline(signal, deps.modelDeadlineMs);
  let found: Found;
  try {
    found = await findAndBrief(deps, conversation, signal, modelSignal, turn);
  } finally {
    turn.end();
  }
  const { brief, productCount, topProducts, ...rest } = found;
  yield { type: "products", productCount, topProducts };
  const { sentences, writer } = yield* writeAnswer(deps, brief, signal, modelSignal);
  const data = { query, aiResponse: sentences.join(" "), ...rest, productCount, topProducts };
  yield { type: "done", writer, data };
}

type Found = Omit<DeepSearchResult, "query" | "aiResponse"> & { brief: AnswerBrief };

/** Everything that occupies the thread: reading the question, its searches, and the facts for the answer. */
async function findAndBrief(
  deps: DeepSearchDeps,
  conversation: Required<Conversation>,
  signal: AbortSignal,
  modelSignal: AbortSignal,
  turn: Turn,
): Promise<Found> {
  const { currency, catalogStore } = deps;
  const reading = createReading();
  const textSearch = searchForReading(deps.textSearch, reading, turn);
  const stepped: DeepSearchDeps & Stepped = {
    ...deps,
    turn,
    reading,
    textSearch,
    catalogStore: {
      findByRowIds: (rowIds) => turn.step(() => catalogStore.findByRowIds(rowIds)),
      priceHistories: (rowIds, limit) => turn.step(() => catalogStore.priceHistories(rowIds, limit)),
    },
  };
  const finding = await find(stepped, conversation, signal, modelSignal);
  const { understanding, retrieved } = finding;
  return {
    brief: await briefFor(stepped, conversation, finding, signal),
    description: describe(understanding, retrieved, currency),
    suggestions: await suggestQueries(textSearch, understanding, retrieved, currency, signal),
    otherOptions: otherOptions(retrieved, currency),
    productCount: retrieved.productCount,
    topProducts: retrieved.products.map((product) => toTopProduct(product, currency)),
  };
}

interface Stepped {
  turn: Turn;
  reading: Reading;
}

function withDeadline(signal: AbortSignal, deadlineMs = defaultModelDeadlineMs): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
}

async function find(
  deps: DeepSearchDeps & Stepped,
  conversation: Required<Conversation>,
  signal: AbortSignal,
  modelSignal: AbortSignal,
): Promise<Finding> {
  const understanding = await understandConversation(deps, conversation, signal);
  deps.reading.enter("retrieval");
  const found = { understanding, retrieved: await retrieve(deps, understanding, signal) };
  if (deps.modelWriter === undefined) return withoutUnread(found, deps.reading);
  const improved = await improveByPlan(deps, deps.modelWriter, conversation, found, modelSignal);
  signal.throwIfAborted();
  return withoutUnread(improved, deps.reading);
}

/** Things that were not searched for are left out: the answer must not say that there are none. */
function withoutUnread(found: Finding, { leftOut }: Reading): Finding {
  const { understanding, retrieved } = found;
  const unread = retrieved.parts.filter(({ isUnread }) => isUnread);
  if (unread.length === 0) return found;
  leftOut.things.push(...unread.map(({ intent }) => (intent.said.length > 0 ? intent.said : intent.words)));
  if (unread.length === retrieved.parts.length) return found;
  const isRead = (_: unknown, index: number): boolean => retrieved.parts[index]?.isUnread !== true;
  return {
    understanding: { ...understanding, intents: understanding.intents.filter(isRead) },
    retrieved: { ...retrieved, parts: retrieved.parts.filter(isRead) },
  };
}

async function briefFor(
  { catalogStore, textSearch, reading, clock, currency }: DeepSearchDeps & Stepped,
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
  const leftOut = leftOutOf(reading.leftOut, request, asWritten);
  const texts = { request, history, facts, quotes, unmet, asWritten, leftOut };
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
