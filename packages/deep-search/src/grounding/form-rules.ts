import type { SentenceParts } from "./sentence-parts.ts";

/** What is wrong with a sentence, so that its writer can correct it; undefined if nothing is. */
export type Rule = (parts: SentenceParts) => string | undefined;

const maxLength = 400;
const maxNamed = 4;

const fitLength: Rule = ({ sentence }) => {
  if (sentence.trim() === "") return "the sentence is empty";
  return sentence.length > maxLength ? `the sentence is longer than ${maxLength} characters` : undefined;
};

const referToProducts: Rule = ({ references, literal, named }) => {
  const unknown = references.find(({ rendered }) => rendered === undefined);
  if (unknown !== undefined) return `there is no {${unknown.reference}}`;
  if (/[{}]/u.test(literal)) return "a brace stands outside of a reference";
  return named.length > maxNamed ? "the sentence names too many products" : undefined;
};

/** No digits, currency signs, markup, links or other scripts: only words and plain punctuation. */
const usePlainCharacters: Rule = ({ literal }) => {
  const odd = /\p{N}|[^\p{Script=Latin}\p{M}\s⌁.,;:!?'"’“”()–—-]/u.exec(literal);
  if (odd)
    return `"${odd[0]}" may not be written: numbers and names come by reference, markup and links not at all`;
  if (/[^\S ]/u.test(literal)) return "a sentence is one line";
  return /[\p{L}⌁]\.[\p{L}]/u.test(literal) ? "a dot inside a word looks like a link" : undefined;
};

/** A word in upper case may only start a sentence or be part of a reference; "I" is the only exception. */
const useNoProperNouns: Rule = ({ literal }) => {
  const inside = literal.replace(/^[\s"'“(]*\p{L}+/u, "").replace(/([.!?:]["'”)]?\s+["'“(]*)\p{L}+/gu, "$1");
  const name = /\p{Lu}[\p{L}\p{M}'’]*/gu;
  const found = [...inside.matchAll(name)].find(([word]) => !/^I(?:['’]\p{Ll}+)?$/u.test(word));
  return found ? `"${found[0]}" looks like a name: names come by reference` : undefined;
};

const numberWords = new Set(
  (
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty " +
    "forty fourty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million grand dozen dozens couple half halves quarter quarters third thirds " +
    "fifth tenth double doubled triple twice thrice percent percentage fiver tenner hundredfold twofold point"
  ).split(" "),
);
const currencyWords = new Set(
  (
    "dollar dollars buck bucks cent cents euro euros pound pounds quid sterling pence penny pennies yen yuan rupee rupees lira franc francs krona kronor krone kroner zloty " +
    "peso pesos ruble rubles rouble roubles won real reais rand usd eur gbp jpy cny inr try cad aud chf sek nok dkk pln free gratis complimentary"
  ).split(" "),
);

const writeNoNumbers: Rule = ({ words, literal }) => {
  const parts = words.flatMap((word) => word.split(/['’-]/u));
  const currency = parts.find(
    (word) => currencyWords.has(word) && !(word === "real" || word === "won" || word === "try"),
  );
  if (currency !== undefined) return `"${currency}" speaks of money: prices come by reference`;
  const plain = literal.toLowerCase();
  const number = parts.find(
    (word) =>
      numberWords.has(word) && !(word === "third" && /the third\b/u.test(plain)) && !(word === "point"),
  );
  return number === undefined ? undefined : `"${number}" is a number in words: numbers come by reference`;
};

/** The rules for the form of a sentence, whatever it is about. */
export const formRules: readonly Rule[] = [
  fitLength,
  referToProducts,
  usePlainCharacters,
  useNoProperNouns,
  writeNoNumbers,
];
