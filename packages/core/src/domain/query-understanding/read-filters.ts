import type { MeasureRange, TextSearch } from "../../ports/text-search.ts";
import { negation, price, rating } from "../languages/languages.ts";
import { toMinor } from "../price/money.ts";
import {
  alternation,
  type Constraints,
  type MarkedText,
  markPattern,
  markPhrases,
  mergeConstraints,
  minusBeforeWord,
  normalise,
  type Phrase,
  rewrite,
  type TracedText,
  type WordsByLanguage,
} from "./phrase-table.ts";
import {
  type IsName,
  mayHaveMeasures,
  measurePhrases,
  negationPhrases,
  negationWord,
  type OrderInText,
  type OrderMeaning,
  orderPhrasesOutsideNames,
  orderWord,
  pricePhrases,
  ratingPhrases,
} from "./phrases.ts";
import currencies from "./words/currencies.json" with { type: "json" };
import numbers from "./words/numbers.json" with { type: "json" };

const { below, atMost, orLess, above, atLeast, orMore, between, from, about } = price;

const priceWords = [below, atMost, orLess, above, atLeast, orMore, between, from, about, ["price", "prices"]];

const moneyWords = currencies.flatMap(({ codes, signs, names }) => [
  ...codes.map((code) => code.toLowerCase()),
  ...signs,
  ...names,
]);

const otherWords = [
  ...[negation.without, negation.not, negation.no, negation.neither, negation.notProperty, rating.stars],
  ["non", "out of", "rated", "rating", "ratings", "reviews", "reviewed", "score", "scores", "scored"],
];

const smallWords: WordsByLanguage = { money: [...moneyWords, ",-", "cent", "cents", "pence"] };

/**
 * Used on every search text, so these patterns are simple: the beginnings of words in plain letters, and anything
 * unusual.
 */
const beginning = new RegExp(
  `\\b(?:${beginnings(...otherWords, ...priceWords, smallWords).join("|")})\\b`,
  "i",
);

const sign = /[^\0-\x7f]|[$<>+~]|,-|w\/|n't/i;

const otherWord = new RegExp(`${alternation(...otherWords)}|\\/ ?5`, "iu");

const priceWord = new RegExp(alternation(...priceWords, smallWords), "iu");

const numberWord = new RegExp(
  `\\d|${alternation(Object.keys(numbers.units), ["hundred", "thousand"])}`,
  "iu",
);

/** Filters in the words of a search text: "under $50", "4 stars", "without laces". */
export interface FiltersInText {
  minPriceMinor?: number;
  maxPriceMinor?: number;
  minRating?: number;
  /** Bounds in a unit, each for every attribute that has it. */
  measures?: readonly MeasureRange[];
  /** Products with any of these are excluded. */
  withoutWords?: readonly string[];
}

/** Whether the catalog has an attribute with numbers in this unit. */
export type IsUnit = (unit: string) => boolean;

const noUnit: IsUnit = () => false;

/** A search text with its filters separated. */
export interface ReadText {
  /** The words to search for, in the user's spelling; empty if there are only filters. */
  words: string;
  filters: FiltersInText;
}

/** A search text with its filters and its order separated. */
export interface ReadSearch extends ReadText {
  /** Undefined if the text asks for none. Of several, the first one. */
  sorting?: OrderInText;
}

const leadWords = alternation(price.lead);
const lead = new RegExp(`${leadWords}(?: ${leadWords})* +⟦(\\d+)⟧`, "g");

/** A table without its trigger word in the text is skipped. */
interface Table {
  trigger: RegExp;
  phrases: readonly Phrase<OrderMeaning>[];
}

const ratings: Table = { trigger: /\d|review|rated/, phrases: ratingPhrases };
const prices: Table = { trigger: /\d/, phrases: pricePhrases };
const exclusions: Table = { trigger: negationWord, phrases: negationPhrases };

/** Applied in this order: "over 4 stars" is not a price, "no more than 50" not an exclusion. */
function tablesWith(isUnit: IsUnit, order?: Table): Table[] {
  const measures = isUnit === noUnit ? [] : [{ trigger: /\d/, phrases: measurePhrases(isUnit) }];
  return [ratings, ...measures, prices, ...(order === undefined ? [] : [order]), exclusions];
}

/**
 * Reads prices, ratings and exclusions in a search text. Quoted text is searched for unchanged. The number of an
 * amount in another currency is used as the price bound.
 */
export async function readFilters(text: string, currency: string, isUnit = noUnit): Promise<ReadText> {
  if (!mayFilter(text)) return { words: text, filters: {} };
  return readTables(text, tablesWith(isUnit), currency);
}

/**
 * Reads an order too: "cheapest", "best rated". Its words are not searched for, unless they belong to a name. `isName` is asked
 * about each order phrase with the word before it and with the word after it, folded.
 */
export async function readSearch(
  text: string,
  currency: string,
  isName: IsName,
  isUnit = noUnit,
): Promise<ReadSearch> {
  if (!orderWord.test(text)) return readFilters(text, currency, isUnit);
  const order = { trigger: orderWord, phrases: orderPhrasesOutsideNames(isName) };
  return readTables(text, tablesWith(isUnit, order), currency);
}

/** Which of the units in which a text has bounds the catalog has: for the others, the words stay text. */
export async function readUnits(
  textSearch: Pick<TextSearch, "hasUnit">,
  text: string,
  currency: string,
): Promise<IsUnit | undefined> {
  if (!mayHaveMeasures(text)) return undefined;
  const units = new Set<string>();
  await readFilters(text, currency, (unit) => {
    units.add(unit);
    return false;
  });
  const present = await Promise.all(Array.from(units, (unit) => textSearch.hasUnit(unit, "catalog")));
  const inCatalog = new Set([...units].filter((_, i) => present[i]));
  return inCatalog.size === 0 ? undefined : (unit) => inCatalog.has(unit);
}

/** The order phrases of a text, each with the word before it and with the word after it: what `isName` is asked. */
export async function orderPhrasesWithNeighbours(text: string, currency: string): Promise<string[]> {
  const asked = new Set<string>();
  await readSearch(text, currency, (words) => {
    asked.add(words);
    return false;
  });
  return [...asked];
}

async function readTables(text: string, used: readonly Table[], currency: string): Promise<ReadSearch> {
  const source = text.normalize("NFC");
  const context = { toMinor: (amount: number) => toMinor(amount, currency) };
  let marked: MarkedText<OrderMeaning> = normalise(source);
  for (const { trigger, phrases } of used) {
    if (trigger.test(marked.traced.text)) marked = await markPhrases(marked, phrases, context);
  }
  const { meanings } = marked;
  if (meanings.length === 0) return { words: text, filters: {} };
  const constraints = meanings.map((meaning) => meaning.constraints ?? {}).reduce(mergeConstraints, {});
  const sorting = [...marked.traced.text.matchAll(markPattern)]
    .map(([, mark]) => meanings[Number(mark)]?.sorting)
    .find((order) => order !== undefined);
  return {
    words: wordsLeft(source, marked),
    filters: toFilters(constraints),
    ...(sorting !== undefined && { sorting }),
  };
}

/** "For under 50": words that introduce a price are removed with it. */
function withLead({ traced, meanings }: MarkedText): TracedText {
  return rewrite(traced, lead, ([, mark = ""]) => {
    const { minPriceMinor, maxPriceMinor } = meanings[Number(mark)]?.constraints ?? {};
    return (minPriceMinor ?? maxPriceMinor) === undefined ? undefined : ` ⟦${mark}⟧`;
  });
}

/**
 * The source without the recognised phrases and without quotation marks, which would become inch marks after a
 * number.
 */
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

function toFilters({
  minPriceMinor,
  maxPriceMinor,
  minRating,
  measures,
  without,
}: Constraints): FiltersInText {
  return {
    ...(minPriceMinor !== undefined && { minPriceMinor }),
    ...(maxPriceMinor !== undefined && { maxPriceMinor }),
    ...(minRating !== undefined && { minRating }),
    ...(measures !== undefined && { measures }),
    ...(without !== undefined && { withoutWords: without }),
  };
}

/** Whether a text may contain a filter. Most do not and need not be parsed. */
function mayFilter(text: string): boolean {
  if (minusBeforeWord.test(text)) return true;
  if (!beginning.test(text) && !sign.test(text)) return false;
  return otherWord.test(text) || (priceWord.test(text) && numberWord.test(text));
}

function beginnings(...lists: readonly (WordsByLanguage | readonly string[])[]): string[] {
  const phrases = lists.flatMap((list) => Object.values(list).flat());
  const firstWords = new Set(phrases.map((words) => words.split(" ")[0] ?? ""));
  return [...firstWords].filter((word) => /^[a-z]+$/.test(word));
}
