import { toMinor } from "../money.ts";
import { alternation } from "./alternation.ts";
import type { Constraints } from "./constraints.ts";
import { mayFilter } from "./may-filter.ts";
import { mergeConstraints } from "./merge-constraints.ts";
import { negationPhrases, negationWord } from "./negation-phrases.ts";
import { normalise } from "./normalise.ts";
import { type MarkedText, markPattern, markPhrases } from "./phrase-table.ts";
import { pricePhrases } from "./price-phrases.ts";
import { ratingPhrases } from "./rating-phrases.ts";
import { rewrite, type TracedText } from "./traced-text.ts";
import price from "./words/price.json" with { type: "json" };

/** Filters that a search text states in words: "under $50", "4 stars", "without laces". */
export interface FiltersInText {
  minPriceMinor?: number;
  maxPriceMinor?: number;
  minRating?: number;
  /** Products with any of these are left out. */
  withoutWords?: readonly string[];
}

/** A search text taken apart. */
export interface ReadText {
  /** What is left to search for, in the user's own writing; empty when the filters say it all. */
  words: string;
  filters: FiltersInText;
}

const leadWords = alternation(price.lead);
const lead = new RegExp(`${leadWords}(?: ${leadWords})* +⟦(\\d+)⟧`, "g");

/** In the order of their words: "over 4 stars" is no price, "no more than 50" no negation. A text that lacks the trigger is passed over. */
const tables = [
  { trigger: /\d|review|rated/, phrases: ratingPhrases },
  { trigger: /\d/, phrases: pricePhrases },
  { trigger: negationWord, phrases: negationPhrases },
];

/**
 * Reads price, rating and negation in a search text. What stands in quotation marks is searched for as it is. An amount in
 * another currency bounds the price by its number.
 */
export function readFilters(text: string, currency: string): ReadText {
  if (!mayFilter(text)) return { words: text, filters: {} };
  const source = text.normalize("NFC");
  const context = { toMinor: (amount: number) => toMinor(amount, currency) };
  let marked = normalise(source);
  for (const { trigger, phrases } of tables) {
    if (trigger.test(marked.traced.text)) marked = markPhrases(marked, phrases, context);
  }
  if (marked.meanings.length === 0) return { words: text, filters: {} };
  const constraints = marked.meanings
    .map((meaning) => meaning.constraints ?? {})
    .reduce(mergeConstraints, {});
  return { words: wordsLeft(source, marked), filters: toFilters(constraints) };
}

/** "For under 50": what leads to a price goes with it. */
function withLead({ traced, meanings }: MarkedText): TracedText {
  return rewrite(traced, lead, ([, mark = ""]) => {
    const { minPriceMinor, maxPriceMinor } = meanings[Number(mark)]?.constraints ?? {};
    return (minPriceMinor ?? maxPriceMinor) === undefined ? undefined : ` ⟦${mark}⟧`;
  });
}

/** The source without the phrases that were understood, and without quotation marks, which a number before them would make inches. */
function wordsLeft(source: string, marked: MarkedText): string {
  const { meanings } = marked;
  const traced = withLead(marked);
  let words = "";
  let read = 0;
  for (const match of traced.text.matchAll(markPattern)) {
    const start = traced.starts[match.index] ?? 0;
    const end = traced.ends[match.index] ?? 0;
    const isQuoted = meanings[Number(match[1])]?.quoted !== undefined;
    words += `${source.slice(read, start)} ${isQuoted ? source.slice(start + 1, end - 1) : ""} `;
    read = end;
  }
  const left = (words + source.slice(read)).replace(/\s+/g, " ").trim();
  return /[\p{L}\p{N}]/u.test(left) ? left : "";
}

function toFilters({ minPriceMinor, maxPriceMinor, minRating, without }: Constraints): FiltersInText {
  return {
    ...(minPriceMinor !== undefined && { minPriceMinor }),
    ...(maxPriceMinor !== undefined && { maxPriceMinor }),
    ...(minRating !== undefined && { minRating }),
    ...(without !== undefined && { withoutWords: without }),
  };
}
