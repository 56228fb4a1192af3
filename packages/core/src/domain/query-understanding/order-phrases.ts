import { fold } from "../fold.ts";
import { type Meaning, type Phrase, phrase } from "./phrase-table.ts";

/** The order of the products that a text asks for. */
export interface OrderInText {
  sort: "price" | "rating";
  order: "asc" | "desc";
}

export interface OrderMeaning extends Meaning {
  sorting?: OrderInText;
}

/** Whether order words that stand next to these other words belong to a name, as in "Cheap Monday". */
export type IsName = (words: string) => boolean;

const by = (sort: OrderInText["sort"], order: OrderInText["order"]) => (): OrderMeaning => ({
  sorting: { sort, order },
});

/** Order words that mean the same in a keyword query and in a sentence. Applied after prices: "cheaper than 50". */
export const orderPhrases: readonly Phrase<OrderMeaning>[] = [
  phrase<OrderMeaning>(
    "\\b(?:not|nothing|isn't|aren't) (?:(?:too|very|so|that|overly) )?(?:expensive|pricey|costly)\\b",
    by("price", "asc"),
  ),
  phrase<OrderMeaning>("\\b(?:not|nothing) (?:(?:too|very|so) )?cheap\\b", by("price", "desc")),
  phrase<OrderMeaning>(
    "\\b(?:the )?(?:most expensive|priciest|costliest|highest[- ]priced?|dearest|most luxurious|(?<!least |less )expensive)\\b",
    by("price", "desc"),
  ),
  phrase<OrderMeaning>(
    "\\b(?:the )?(?:cheapest|(?:least|less) expensive|lowest[- ](?:priced?|cost)|most affordable|(?:at |for )?the (?:lowest|best) price|(?:sorted )?by price|cheap(?:er|ly)?|inexpensive|affordable|low[- ](?:cost|priced?)|budget[- ]friendly|on a budget)\\b(?: first)?",
    by("price", "asc"),
  ),
  phrase<OrderMeaning>("\\bbetter[- ](?:rated|reviewed)(?! than)\\b", by("rating", "desc")),
  phrase<OrderMeaning>(
    "\\b(?:the )?(?:(?:best|top|highest)[- ](?:rated|reviewed|ratings?|reviews?|rating)|(?:sorted )?by rating|most (?:loved|liked))\\b(?: first)?",
    by("rating", "desc"),
  ),
];

/** Order words of sentences that are ordinary words of products elsewhere: "crop top", "luxury vinyl", "budget planner". */
export const spokenOrderPhrases: readonly Phrase<OrderMeaning>[] = [
  phrase<OrderMeaning>("\\b(?:the )?(?:high[- ]end|luxury|luxurious|premium)\\b", by("price", "desc")),
  phrase<OrderMeaning>("\\b(?:the )?(?:budget|economical)\\b(?: first)?", by("price", "asc")),
  phrase<OrderMeaning>("\\b(?:the )?(?:best|top|finest)\\b(?! ?-?sell)(?: first)?", by("rating", "desc")),
];

/** Any text with an order phrase has one of these. */
export const orderWord = new RegExp(orderPhrases.map(({ pattern }) => pattern.source).join("|"), "i");

/** The same phrases, but those that belong to a name have no meaning. */
export function orderPhrasesOutsideNames(isName: IsName): readonly Phrase<OrderMeaning>[] {
  return orderPhrases.map(({ pattern, read }) => ({
    pattern,
    read: (match, context) => (withNeighbours(match).some(isName) ? undefined : read(match, context)),
  }));
}

const wordBefore = /([\p{L}\p{N}][\p{L}\p{M}\p{N}'&-]*) $/u;
const wordAfter = /^ ([\p{L}\p{N}][\p{L}\p{M}\p{N}'&-]*)/u;

/** The phrase with the word before it, and with the word after it, folded. Commas and other phrases separate. */
function withNeighbours({ 0: matched, index, input }: RegExpExecArray): string[] {
  const words = matched.replace(/^the /, "");
  const before = wordBefore.exec(input.slice(0, index))?.[1];
  const after = wordAfter.exec(input.slice(index + matched.length))?.[1];
  return [
    ...(before === undefined ? [] : [fold(`${before} ${words}`)]),
    ...(after === undefined ? [] : [fold(`${words} ${after}`)]),
  ];
}
