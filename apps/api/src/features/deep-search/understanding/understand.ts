import { toMinor } from "../../../domain/money.ts";
import type { TextSearch } from "../../../ports/text-search.ts";
import { availabilityPhrases } from "./availability-phrases.ts";
import { colourPhrases } from "./colours.ts";
import { conversationTopic, isOpenQuestion, withoutInstructions } from "./conversation.ts";
import { discountPhrases } from "./discount-phrases.ts";
import { markNames } from "./mark-names.ts";
import { negationPhrases } from "./negation-phrases.ts";
import { normalise } from "./normalise.ts";
import { contentWords } from "./noun-phrase.ts";
import { type MarkedText, markPhrases } from "./phrases.ts";
import { pricePhrases, togetherPhrases } from "./price-phrases.ts";
import { ratingPhrases } from "./rating-phrases.ts";
import { readWant } from "./read-want.ts";
import { shareConstraints } from "./share-constraints.ts";
import { newestPhrases, sortPhrases } from "./sort-phrases.ts";
import { splitWants } from "./split-wants.ts";
import type { ConversationTopic, Sorting, Understanding } from "./understanding.ts";

export interface UnderstandDeps {
  textSearch: TextSearch;
  currency: string;
}

/** What reads first is what would be misread by a later table: "over 4 stars" is no price, "no more than" no negation. */
const phraseTables = [
  ...availabilityPhrases,
  ...ratingPhrases,
  ...discountPhrases,
  ...pricePhrases,
  ...togetherPhrases,
  ...sortPhrases,
  ...newestPhrases,
  ...negationPhrases,
  ...colourPhrases,
];

const byRelevance: Sorting = { sort: "relevance", order: "desc" };

/** Reads a request in plain words as a structured search. English grammar; the vocabulary of products is the index's. */
export async function understand(
  { textSearch, currency }: UnderstandDeps,
  request: string,
  signal: AbortSignal,
): Promise<Understanding> {
  const text = withoutInstructions(normalise(request));
  const topic = conversationTopic(text);
  if (topic !== undefined) return conversation(topic);
  const phrases = markPhrases({ text, meanings: [] }, phraseTables, {
    toMinor: (amount) => toMinor(amount, currency),
  });
  const marked = await markNames(phrases, request, textSearch);
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

function isShared({ meanings }: MarkedText): boolean {
  return meanings.some(({ shared }) => shared === true);
}

/** What is said first is meant first: "the best rated cheap tent" sorts by rating. */
function sortingOf({ text, meanings }: MarkedText): Sorting {
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
