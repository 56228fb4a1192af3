import { alternation, type WordsByLanguage } from "./alternation.ts";
import currencies from "./words/currencies.json" with { type: "json" };
import negation from "./words/negation.json" with { type: "json" };
import numbers from "./words/numbers.json" with { type: "json" };
import price from "./words/price.json" with { type: "json" };
import rating from "./words/rating.json" with { type: "json" };

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

/** Whether a text may contain a filter. Most do not and need not be parsed. */
export function mayFilter(text: string): boolean {
  if (!beginning.test(text) && !sign.test(text)) return false;
  return otherWord.test(text) || (priceWord.test(text) && numberWord.test(text));
}

function beginnings(...lists: readonly (WordsByLanguage | readonly string[])[]): string[] {
  const phrases = lists.flatMap((list) => Object.values(list).flat());
  const firstWords = new Set(phrases.map((words) => words.split(" ")[0] ?? ""));
  return [...firstWords].filter((word) => /^[a-z]+$/.test(word));
}
