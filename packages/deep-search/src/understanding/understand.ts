import { toMinor } from "@product-search/core/domain/price/money.ts";
import {
  negationPhrases,
  spokenNegationPhrases,
} from "@product-search/core/domain/query-understanding/negation-phrases.ts";
import { normalise } from "@product-search/core/domain/query-understanding/normalise.ts";
import { namesOtherCurrency } from "@product-search/core/domain/query-understanding/other-currency.ts";
import { markPhrases, type Phrase } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import {
  pricePhrases,
  spokenPricePhrases,
} from "@product-search/core/domain/query-understanding/price-phrases.ts";
import { ratingPhrases } from "@product-search/core/domain/query-understanding/rating-phrases.ts";
import { traceText } from "@product-search/core/domain/query-understanding/traced-text.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { readingLimits, unlessUsedUp } from "../reading.ts";
import { colourPhrases } from "./colours.ts";
import { splitCompared, thingsCompared } from "./conversation/comparison.ts";
import { conversationTopic, isOpenQuestion, withoutInstructions } from "./conversation/conversation.ts";
import {
  comparedProducts,
  isRefinement,
  questionOf,
  refine,
  withBoundsOf,
} from "./conversation/follow-up.ts";
import { readQuestion } from "./conversation/product-question.ts";
import { resolveQuestion } from "./conversation/resolve-question.ts";
import type { Turn } from "./conversation/turn.ts";
import { translate } from "./foreign/translate.ts";
import { withTypedWords } from "./foreign/typed-words.ts";
import { limitWords } from "./limit-words.ts";
import { markNames } from "./mark-names.ts";
import { availabilityPhrases } from "./phrases/availability-phrases.ts";
import { discountPhrases } from "./phrases/discount-phrases.ts";
import { contentWords } from "./phrases/noun-phrase.ts";
import { newestPhrases, popularPhrases, sortPhrases, togetherPhrases } from "./phrases/sort-phrases.ts";
import { type ReadIntent, readIntent } from "./read-intent.ts";
import type { MarkedRequest, RequestMeaning } from "./request-meaning.ts";
import { shareConstraints } from "./share-constraints.ts";
import { splitIntents } from "./split-intents.ts";
import type { ThingDeps } from "./things.ts";
import type { ConversationTopic, Intent, Sorting, Understanding } from "./understanding.ts";

export interface UnderstandDeps extends ThingDeps {
  currency: string;
}

/** In this order, because a later table would misread some phrases: "over 4 stars" is no price, "no more than" no exclusion. */
const phraseTables: readonly Phrase<RequestMeaning>[] = [
  ...availabilityPhrases,
  ...ratingPhrases,
  ...discountPhrases,
  ...pricePhrases,
  ...spokenPricePhrases,
  ...togetherPhrases,
  ...popularPhrases,
  ...sortPhrases,
  ...newestPhrases,
  ...negationPhrases,
  ...spokenNegationPhrases,
  ...colourPhrases,
];

const byRelevance: Sorting = { sort: "relevance", order: "desc" };

/** Turns a request in plain words into a structured search. The grammar is English; the index knows the product words. */
export async function understand(
  deps: UnderstandDeps,
  request: string,
  signal: AbortSignal,
  turn?: Turn,
): Promise<Understanding> {
  const { traced, meanings } = normalise(request);
  const names = await namesIn(request, deps.textSearch);
  const { text, typed, language } = await translate(withoutInstructions(traced.text), names, deps.textSearch);
  const understanding = await readText(deps, request, { text, typed, meanings }, signal, turn);
  return { ...understanding, ...(language !== undefined && { language, typed }) };
}

interface TranslatedRequest extends MarkedRequest {
  typed: ReadonlyMap<string, string>;
}

async function readText(
  deps: UnderstandDeps,
  request: string,
  { text, typed, meanings }: TranslatedRequest,
  signal: AbortSignal,
  turn: Turn | undefined,
): Promise<Understanding> {
  const about = await readAboutProducts(deps, text, turn, signal);
  if (about !== undefined) return { intents: [], sorting: byRelevance, ...about };
  const read = await readRequest(deps, request, text, meanings, signal);
  const own = await withTypedWords(read, typed, deps.textSearch);
  if (turn === undefined || turn.intents.length === 0) return own;
  if (isRefinement(own, text)) return refine(turn, own, text);
  return /^(?:and|or|what about|how about)\b/u.test(text) && own.intents.length > 0
    ? withBoundsOf(turn, own)
    : own;
}

async function namesIn(request: string, textSearch: TextSearch): Promise<string[]> {
  const [brands, stores] = await Promise.all([
    textSearch.brandsNamedIn(request),
    textSearch.storesNamedIn(request),
  ]);
  return [...brands, ...stores];
}

type AboutProducts = Pick<Understanding, "question" | "referred" | "compares">;

/** A question about a product that it names, or that the last answer showed. */
async function readAboutProducts(
  deps: UnderstandDeps,
  text: string,
  turn: Turn | undefined,
  signal: AbortSignal,
): Promise<AboutProducts | undefined> {
  const asked = readQuestion(text);
  if (turn !== undefined) {
    const referred = await comparedProducts(text, turn);
    if (referred !== undefined) return { referred, compares: true };
    const question = await questionOf(text, asked, turn);
    if (question !== undefined) return { question };
  }
  const question = asked && (await resolveQuestion(deps, asked, signal));
  if (question !== undefined) return { question };
  return asked?.isPronoun ? { question: { asked: "everything", isReference: true } } : undefined;
}

/** A request without earlier ones. */
async function readRequest(
  deps: UnderstandDeps,
  request: string,
  text: string,
  meanings: readonly RequestMeaning[],
  signal: AbortSignal,
): Promise<Understanding> {
  const topic = conversationTopic(text);
  if (topic !== undefined) return conversation(topic);
  const compared = thingsCompared(text);
  const marked = await mark(deps, request, compared ?? text, meanings);
  const isPlain = marked.meanings.length === 0;
  if (isPlain && contentWords(text).length === 0) return conversation("service");
  const understanding = await readIntents(deps, request, marked, compared !== undefined, signal);
  const isOpen = isPlain && isOpenQuestion(text) && !understanding.intents.some(hasThing);
  return isOpen && !(await findsProducts(text, deps.textSearch, signal))
    ? conversation("question")
    : understanding;
}

/** Marks the phrases and names of a text. */
async function mark(
  { textSearch, currency }: UnderstandDeps,
  request: string,
  text: string,
  meanings: readonly RequestMeaning[],
): Promise<MarkedRequest> {
  const phrases = markPhrases<RequestMeaning>({ traced: traceText(text), meanings }, phraseTables, {
    toMinor: (amount) => toMinor(amount, currency),
  });
  const read = { text: phrases.traced.text.replace(/\s+/g, " ").trim(), meanings: phrases.meanings };
  return markNames(read, request, textSearch);
}

async function readIntents(
  deps: UnderstandDeps,
  request: string,
  marked: MarkedRequest,
  compares: boolean,
  signal: AbortSignal,
): Promise<Understanding> {
  const limited = limitWords(marked.text, readingLimits.words);
  const leftOut = deps.reading?.leftOut;
  if (leftOut !== undefined && limited.from !== undefined) leftOut.from = limited.from;
  const texts = compares
    ? splitCompared(limited.text)
    : await splitIntents(limited.text, deps.textSearch, signal, leftOut);
  const read = await Promise.all(texts.map((part) => readIntent(deps, part, marked.meanings, signal)));
  const intents = compares ? withSharedThing(read) : read;
  const asksForNewest = marked.meanings.some(({ newest }) => newest);
  const asksForPopular = marked.meanings.some(({ popular }) => popular);
  const otherCurrency = namesOtherCurrency(request, deps.currency);
  return {
    ...shareConstraints(intents, isShared(marked)),
    sorting: sortingOf(marked),
    ...(compares && intents.length > 1 && { compares }),
    ...(asksForNewest && { asksForNewest }),
    ...(asksForPopular && { asksForPopular }),
    ...(otherCurrency && { otherCurrency }),
  };
}

/** "Compare Auralis and Voltaine speakers": both are speakers. */
function withSharedThing(intents: readonly ReadIntent[]): ReadIntent[] {
  const last = intents.at(-1);
  if (last === undefined || !hasThing(last)) return [...intents];
  const { categories } = last.constraints;
  return intents.map((intent) =>
    hasThing(intent) || intent.words.length > 0
      ? intent
      : {
          ...last,
          ...intent,
          words: last.words,
          constraints: { ...(categories && { categories }), ...intent.constraints },
        },
  );
}

/** Whether an intent names something that exists in the catalog. */
function hasThing({ head, absent, kinds, constraints }: Intent): boolean {
  return (
    constraints.categories !== undefined ||
    kinds !== undefined ||
    (head !== undefined && absent === undefined)
  );
}

function conversation(topic: ConversationTopic): Understanding {
  return { intents: [], topic, sorting: byRelevance };
}

function isShared({ meanings }: MarkedRequest): boolean {
  return meanings.some(({ shared }) => shared === true);
}

/** The first sort order takes precedence: "the best rated cheap tent" sorts by rating. */
function sortingOf({ text, meanings }: MarkedRequest): Sorting {
  const said = [...text.matchAll(/⟦(\d+)⟧/g)].map(([, mark]) => meanings[Number(mark)]?.sorting);
  return said.find((sorting) => sorting !== undefined) ?? byRelevance;
}

async function findsProducts(text: string, textSearch: TextSearch, signal: AbortSignal): Promise<boolean> {
  const query = {
    filters: { source: "catalog" },
    sort: "relevance",
    order: "desc",
    offset: 0,
    limit: 1,
  } as const;
  const words = contentWords(text).join(" ");
  const { total } = await unlessUsedUp(
    () => textSearch.search({ ...query, text: words, everyWord: true }, signal),
    { total: 1 },
  );
  return total > 0;
}
