import { toMinor } from "../../../domain/money.ts";
import {
  negationPhrases,
  spokenNegationPhrases,
} from "../../../domain/query-understanding/negation-phrases.ts";
import { normalise } from "../../../domain/query-understanding/normalise.ts";
import { markPhrases, type Phrase } from "../../../domain/query-understanding/phrase-table.ts";
import { pricePhrases, spokenPricePhrases } from "../../../domain/query-understanding/price-phrases.ts";
import { ratingPhrases } from "../../../domain/query-understanding/rating-phrases.ts";
import { traceText } from "../../../domain/query-understanding/traced-text.ts";
import type { TextSearch } from "../../../ports/text-search.ts";
import { availabilityPhrases } from "./availability-phrases.ts";
import { colourPhrases } from "./colours.ts";
import { conversationTopic, isOpenQuestion, withoutInstructions } from "./conversation.ts";
import { discountPhrases } from "./discount-phrases.ts";
import { markNames } from "./mark-names.ts";
import { contentWords } from "./noun-phrase.ts";
import { readWant } from "./read-want.ts";
import type { MarkedRequest, RequestMeaning } from "./request-meaning.ts";
import { shareConstraints } from "./share-constraints.ts";
import { newestPhrases, sortPhrases, togetherPhrases } from "./sort-phrases.ts";
import { splitWants } from "./split-wants.ts";
import type { ConversationTopic, Sorting, Understanding } from "./understanding.ts";

export interface UnderstandDeps {
  textSearch: TextSearch;
  currency: string;
}

/** What reads first is what would be misread by a later table: "over 4 stars" is no price, "no more than" no negation. */
const phraseTables: readonly Phrase<RequestMeaning>[] = [
  ...availabilityPhrases,
  ...ratingPhrases,
  ...discountPhrases,
  ...pricePhrases,
  ...spokenPricePhrases,
  ...togetherPhrases,
  ...sortPhrases,
  ...newestPhrases,
  ...negationPhrases,
  ...spokenNegationPhrases,
  ...colourPhrases,
];

const byRelevance: Sorting = { sort: "relevance", order: "desc" };

/** Reads a request in plain words as a structured search. English grammar; the vocabulary of products is the index's. */
export async function understand(
  { textSearch, currency }: UnderstandDeps,
  request: string,
  signal: AbortSignal,
): Promise<Understanding> {
  const { traced, meanings } = normalise(request);
  const text = withoutInstructions(traced.text);
  const topic = conversationTopic(text);
  if (topic !== undefined) return conversation(topic);
  const phrases = markPhrases<RequestMeaning>({ traced: traceText(text), meanings }, phraseTables, {
    toMinor: (amount) => toMinor(amount, currency),
  });
  const read = { text: phrases.traced.text.replace(/\s+/g, " ").trim(), meanings: phrases.meanings };
  const marked = await markNames(read, request, textSearch);
  if (marked.meanings.length === 0) {
    if (contentWords(text).length === 0) return conversation("service");
    if (isOpenQuestion(text) && !(await findsProducts(text, textSearch, signal)))
      return conversation("question");
  }
  const texts = await splitWants(marked.text, textSearch, signal);
  const wants = await Promise.all(texts.map((part) => readWant(part, marked.meanings, textSearch)));
  const asksForNewest = marked.meanings.some(({ newest }) => newest);
  return {
    ...shareConstraints(wants, isShared(marked)),
    sorting: sortingOf(marked),
    ...(asksForNewest && { asksForNewest }),
  };
}

function conversation(topic: ConversationTopic): Understanding {
  return { wants: [], topic, sorting: byRelevance };
}

function isShared({ meanings }: MarkedRequest): boolean {
  return meanings.some(({ shared }) => shared === true);
}

/** What is said first is meant first: "the best rated cheap tent" sorts by rating. */
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
  return (await textSearch.search({ ...query, text: words, everyWord: true }, signal)).total > 0;
}
