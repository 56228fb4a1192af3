import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { isCategoryName } from "@product-search/core/domain/product.ts";
import { absoluteAddress } from "@product-search/core/domain/urls.ts";
import {
  type AnswerBrief,
  AnswerWriterBusyError,
  type BuiltInAnswerWriter,
  type UnmetCondition,
} from "@product-search/core/ports/answer-writer.ts";
import type { TextHits, TextSearch } from "@product-search/core/ports/text-search.ts";
import type { DeepSearchResult, TopProduct } from "@product-search/types";
import { buildBrief } from "./answer/build-brief.ts";
import { chooseQuotes } from "./answer/choose-quotes.ts";
import { findUnmet } from "./answer/find-unmet.ts";
import { type AsWritten, createAsWritten, formatBound } from "./answer/format.ts";
import { factsAbout } from "./answer/product-facts.ts";
import { referencePattern, renderSentence } from "./answer/render-sentence.ts";
import type { Conversation } from "./conversation.ts";
import type { DeepSearchDeps } from "./deep-search-deps.ts";
import type { DeepSearchEvent, WriterName } from "./deep-search-event.ts";
import { createSentenceCheck } from "./grounding/check-sentence.ts";
import { type Finding, improveByPlan } from "./improve-by-plan.ts";
import { createReading, type LeftOut, type Reading, searchForReading, unlessUsedUp } from "./reading.ts";
import { describe } from "./result/describe.ts";
import { otherOptions, roundBound } from "./result/options.ts";
import { type Retrieved, retrieve } from "./retrieval/retrieve.ts";
import { understandConversation } from "./understand-conversation.ts";
import { comparable } from "./understanding/colours.ts";
import type { Understanding } from "./understanding/understanding.ts";
import { EmptyAnswerError, type Failure, UngroundedError, writeChecked } from "./write-checked.ts";

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

const maxSuggestions = 5;

const maxNamed = 4;

const defaultModelDeadlineMs = 7000;
const historyLength = 100;

/** Answers a request as a stream of events: the products, checked sentences, then the whole result. */
export async function* runDeepSearch(
  deps: DeepSearchDeps,
  conversation: Required<Conversation>,
  signal: AbortSignal,
): AsyncGenerator<DeepSearchEvent> {
  const { query } = conversation;
  const modelSignal = deps.modelWriter === undefined ? signal : withDeadline(signal, deps.modelDeadlineMs);
  const found = await findAndBrief(deps, conversation, signal, modelSignal);
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
): Promise<Found> {
  const { currency } = deps;
  const reading = createReading();
  const named = withNamedCategories(deps);
  const textSearch = searchForReading(named.textSearch, reading);
  const counted = { ...deps, ...named, reading, textSearch };
  const finding = await find(counted, conversation, signal, modelSignal);
  const { understanding, retrieved } = finding;
  return {
    brief: await briefFor(counted, conversation, finding, signal),
    description: describe(understanding, retrieved, currency),
    suggestions: await suggestQueries(textSearch, understanding, retrieved, currency, signal),
    otherOptions: otherOptions(retrieved, currency),
    productCount: retrieved.productCount,
    topProducts: retrieved.products.map((product) => toTopProduct(product, deps)),
  };
}

interface Counted {
  reading: Reading;
}

function withDeadline(signal: AbortSignal, deadlineMs = defaultModelDeadlineMs): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
}

async function find(
  deps: DeepSearchDeps & Counted,
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
function withoutUnread(finding: Finding, { leftOut }: Reading): Finding {
  const { understanding, retrieved } = finding;
  const unread = retrieved.parts.filter(({ isUnread }) => isUnread);
  if (unread.length === 0) return finding;
  leftOut.things.push(
    ...unread.map(({ intent }) => (intent.requestWords.length > 0 ? intent.requestWords : intent.words)),
  );
  if (unread.length === retrieved.parts.length) return finding;
  const isRead = (_: unknown, index: number): boolean => retrieved.parts[index]?.isUnread !== true;
  return {
    understanding: { ...understanding, intents: understanding.intents.filter(isRead) },
    retrieved: { ...retrieved, parts: retrieved.parts.filter(isRead) },
  };
}

async function briefFor(
  { catalogStore, textSearch, reading, clock, currency }: DeepSearchDeps & Counted,
  { query: request, history }: Required<Conversation>,
  finding: Finding,
  signal: AbortSignal,
): Promise<AnswerBrief> {
  const { understanding, retrieved } = finding;
  const { product, topic: asked = "everything" } = understanding.question ?? {};
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

function toTopProduct(
  product: StoredProduct,
  { currency, publicUrl }: Pick<DeepSearchDeps, "currency" | "publicUrl">,
): TopProduct {
  const { name, brand, storeName, priceMinor, averageRating, images } = product;
  const [image] = images;
  return {
    _id: product.id,
    key: product.key,
    slug: product.slug,
    url: absoluteAddress(product.url, publicUrl),
    ...(image !== undefined && { image: absoluteAddress(image, publicUrl) }),
    name,
    storeName,
    price: fromMinor(priceMinor, currency),
    ...(brand !== undefined && { brand }),
    ...(averageRating !== undefined && { averageRating }),
  };
}

/** What of a question was left out, in the user's words as far as they may be repeated; undefined if nothing was. */
function leftOutOf({ from, things }: LeftOut, request: string, asWritten: AsWritten): AnswerBrief["leftOut"] {
  if (from === undefined && things.length === 0) return undefined;
  const first = from === undefined || isRepeated(from, request) ? undefined : asWritten([from]);
  const named = things.flatMap((words) => asWritten(words) ?? []).slice(0, maxNamed);
  return { ...(first !== undefined && { from: first }), things: [...new Set(named)] };
}

/** "Everything from the mug on" says nothing if there are several mugs. */
function isRepeated(word: string, request: string): boolean {
  const words = comparable(request).split(" ");
  return words.filter((other) => other === comparable(word)).length > 1;
}

/**
 * Other queries that find products: each is built from an existing product or category. If a search found nothing, they
 * come from the largest categories of the catalog, or its brands if it has none.
 */
async function suggestQueries(
  textSearch: TextSearch,
  understanding: Understanding,
  { products }: Retrieved,
  currency: string,
  signal: AbortSignal,
): Promise<string[]> {
  const suggestions =
    products.length > 0
      ? fromProducts(products, understanding, currency)
      : await fromCatalog(textSearch, understanding, signal);
  return [...new Set(suggestions)].slice(0, maxSuggestions);
}

function fromProducts(
  products: readonly StoredProduct[],
  { sorting }: Understanding,
  currency: string,
): string[] {
  const categories = [...new Set(products.flatMap(({ category }) => category ?? []))];
  const [main] = categories;
  if (main === undefined) return [...new Set(products.flatMap(({ brand }) => brand ?? []))];
  const own = products.filter(({ category }) => category === main);
  const noun = main.toLowerCase();
  const bound = roundBound(own.map(({ priceMinor }) => fromMinor(priceMinor, currency)));
  const brands = [...new Set(own.flatMap(({ brand }) => brand ?? []))];
  return [
    ...(sorting.sort === "rating" ? [] : [`best rated ${noun}`]),
    ...(bound === undefined ? [] : [`${noun} under ${formatBound(bound, currency)}`]),
    ...brands.slice(0, 1).map((brand) => `${noun} by ${brand}`),
    ...(own.some(({ discountVal }) => discountVal >= 1) ? [`${noun} on sale`] : []),
    ...(sorting.sort === "price" ? [] : [`cheapest ${noun}`]),
    ...categories.slice(1).map((category) => category.toLowerCase()),
    ...brands.slice(1, 3).map((brand) => `${noun} by ${brand}`),
  ];
}

async function fromCatalog(
  textSearch: TextSearch,
  { intents }: Understanding,
  signal: AbortSignal,
): Promise<string[]> {
  const named = intents.flatMap(({ constraints: { categories = [] } }) => categories);
  const everything = { text: "", filters: { source: "catalog" }, sort: "relevance", order: "desc" } as const;
  const facetRequest = { names: ["categories", "brands"], maxValues: maxSuggestions } as const;
  const query = { ...everything, offset: 0, limit: 1, facets: facetRequest };
  const { facets } = await unlessUsedUp(() => textSearch.search(query, signal), { facets: undefined });
  const categories = [...named, ...(facets?.categories ?? []).map(({ value }) => value)];
  return categories.length > 0
    ? categories.map((category) => category.toLowerCase())
    : (facets?.brands ?? []).map(({ value }) => value);
}

interface Written {
  sentences: string[];
  writer: WriterName;
}

/** Yields checked sentences: the model's if there is a model and its sentences pass, else the built-in writer's. */
async function* writeAnswer(
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

/** The conditions of a brief that none of these sentences, which are in English, says are not met. */
function unnamedConditions(brief: AnswerBrief, sentences: readonly string[]): UnmetCondition[] {
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
  const said = unmet.find((_, index) => condition === `unmet.${index + 1}`)?.wording;
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

/**
 * The catalog without categories that are only numbers of a taxonomy. They name no kind of thing, so they are neither read in a
 * question nor written in an answer.
 */
function withNamedCategories({
  textSearch,
  catalogStore,
}: Pick<DeepSearchDeps, "textSearch" | "catalogStore">): Pick<DeepSearchDeps, "textSearch" | "catalogStore"> {
  return {
    textSearch: {
      ...textSearch,
      search: async (query, signal) => withoutNumbers(await textSearch.search(query, signal)),
      categoriesNamedIn: async (text) => (await textSearch.categoriesNamedIn(text)).filter(isCategoryName),
    },
    catalogStore: {
      findByRowIds: async (rowIds) => (await catalogStore.findByRowIds(rowIds)).map(withoutNumber),
      priceHistories: (rowIds, limit) => catalogStore.priceHistories(rowIds, limit),
    },
  };
}

function withoutNumbers(hits: TextHits): TextHits {
  const { facets } = hits;
  if (facets === undefined) return hits;
  const categories = facets.categories.filter(({ value }) => isCategoryName(value));
  return { ...hits, facets: { ...facets, categories } };
}

function withoutNumber(product: StoredProduct): StoredProduct {
  const { category, ...rest } = product;
  return category === undefined || isCategoryName(category) ? product : rest;
}
