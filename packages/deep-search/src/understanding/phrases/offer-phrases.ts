import type { Availability } from "@product-search/core/domain/availability.ts";
import {
  type Meaning,
  type Phrase,
  phrase,
} from "@product-search/core/domain/query-understanding/phrase-table.ts";
import { together } from "@product-search/core/domain/query-understanding/phrases.ts";
import { type RequestMeaning, withoutMarks } from "../request-meaning.ts";
import { fillerWords, foreignFillers, prepositions, quantityPhrase } from "./grammar-words.ts";

const state = (availability: Availability) => (): Meaning => ({
  constraints: { availability: [availability] },
});
const lead = "\\b(?:that (?:is|are) |which (?:is|are) |is |are |only |currently )*";

export const availabilityPhrases: readonly Phrase[] = [
  phrase(
    `${lead}(?:not (?:out of stock|sold out)|(?:in|on) stock|ready to ship|(?:available|ships?|shipping|deliver(?:ed|able)?) (?:now|today|immediately|right (?:now|away)|straight away))\\b`,
    state("in_stock"),
  ),
  phrase(`${lead}(?:available )?(?:for |on |to )?pre-? ?orders?(?:ed|able)?(?: only)?\\b`, state("preorder")),
  phrase(`${lead}(?:on )?back-? ?order(?:ed|able)?\\b`, state("backorder")),
  phrase(`${lead}(?:out of stock|sold out)\\b`, state("out_of_stock")),
  phrase("\\b(?:that (?:is|are) |which (?:is|are) )(?:still )?available\\b", state("in_stock")),
];

const anyDiscount = 1;
const percent = "(\\d{1,2}(?:\\.\\d+)?) ?(?:%|percent|per cent)";

const reducedBy = (match: RegExpExecArray): Meaning => ({ constraints: { minDiscount: Number(match[1]) } });

export const discountPhrases: readonly Phrase[] = [
  phrase(
    `\\b(?:with |that (?:is|are) |reduced |discounted )?(?:(?:a |an |by )?(?:at least|over|more than|min(?:imum)?|from) )?(?:a |by )?${percent} ?(?:or more |\\+ ?)?(?:off|discount(?:ed)?|reduced|reduction|cheaper|saving|less)`,
    reducedBy,
  ),
  phrase(
    `\\b(?:reduced|discount(?:ed)?)(?: of| by)?(?: at least| over| more than)? ${percent}(?: or more)?`,
    reducedBy,
  ),
  phrase("\\b(?:at )?half[- ](?:price|off)(?: or less)?\\b", () => ({ constraints: { minDiscount: 50 } })),
  phrase(
    "\\b(?:biggest|highest|largest|best|deepest|greatest) (?:discounts?|deals?|bargains?|savings?|reductions?|offers?)(?: on)?\\b|\\bmost (?:reduced|discounted)\\b",
    () => ({ constraints: { minDiscount: anyDiscount }, sorting: { sort: "discount", order: "desc" } }),
  ),
  phrase(
    "\\b(?:that (?:is|are) |currently |which (?:is|are) )*(?:on (?:sale|offer|special|discount)|in the sale|for sale now|discounted|reduced(?: in price)?|marked down|(?:with (?:a )?|any |some |a )discounts?(?: on| for)?|(?:good |great |any |a |some )*(?:bargains?|deals?|special offers?)(?: on| for)?)\\b",
    () => ({ constraints: { minDiscount: anyDiscount } }),
  ),
];

/** The service cannot sort by these, but they are recognised: as search words they would find nothing. */
export const newestPhrases: readonly Phrase<RequestMeaning>[] = [
  phrase<RequestMeaning>(
    "\\b(?:the )?(?:(?:very )?(?:newest|latest)|most recent|recently (?:released|added|launched)|new(?:ly)?[- ](?:released?|arrived|arrivals?|launched)|just (?:in|released|out)|brand[- ]new)\\b(?: (?:first|ones?|models?|releases?|arrivals?))?",
    () => ({ newest: true }),
  ),
];

/** Applied after the price phrases, which look for these words after an amount. */
export const togetherPhrases: readonly Phrase<RequestMeaning>[] = [
  phrase<RequestMeaning>(together, () => ({ shared: true })),
];

/** The catalog does not know what sells: the best rated come first, and the answer says so. */
export const popularPhrases: readonly Phrase<RequestMeaning>[] = [
  phrase<RequestMeaning>(
    "\\b(?:the )?(?:most |very )?(?:popular|famous|best[- ]?sell(?:ing|ers?)|trending|in demand)\\b(?: (?:ones?|right now|now|at the moment))?",
    () => ({ popular: true, sorting: { sort: "rating", order: "desc" } }),
  ),
];

const token = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'.+&-]*/gu;

/** After a number, one of these words makes a property: "2 person". */
const countedNouns = new Set(
  "person people man seater seat piece door drawer litre liter inch hour day month year pack ply".split(" "),
);

/** The words of a text except function words, in order. */
export function contentWords(text: string): readonly string[] {
  const words = plainWords(withoutMarks(text).replace(quantityPhrase, " ")).filter(
    (word) => !fillerWords.has(word) && !prepositions.has(word),
  );
  return withoutCount(words);
}

/** "6 dining chairs" means chairs; in "2 person tents" the number is a property. */
export function withoutCount(words: readonly string[]): readonly string[] {
  const [first = "", second = ""] = words;
  const isCount = /^\d{1,2}$/u.test(first) && !countedNouns.has(second) && /[^s]s$/u.test(words.at(-1) ?? "");
  return isCount ? words.slice(1) : words;
}

function plainWords(text: string): string[] {
  return [...text.matchAll(token)]
    .map(([word]) => word.replace(/[.'&+-]+$/u, ""))
    .filter((word) => !foreignFillers.has(word));
}
