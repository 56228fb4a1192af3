import numbers from "@product-search/core/domain/query-understanding/words/numbers.json" with {
  type: "json",
};
import { comparable } from "./same-word.ts";

const number = "\\d+(?:[.,]\\d+)?";
const unit =
  "(?:mm|cm|m|km|metres?|meters?|inch(?:es)?|ft|feet|foot|kg|kilos?|grams?|g|lbs?|pounds|oz|ml|cl|l|lit(?:re|er)s?|watts?|w|volts?|v|mah|gb|tb|mb|hz|mp|persons?|people|seats?|seater|players?|years?|months?|weeks?|days?|hours?|minutes?|yrs?|jahren?|ans|años)";
const measure = new RegExp(
  `(?<![\\p{L}\\d.])${number}(?: ?x ?${number})*[ -]?${unit}(?![\\p{L}\\d])(?:[ -](?:olds?|warranty|guarantee|long|wide|tall|high|deep|thick))?|\\baged? \\d{1,3}\\b|(?<=\\bfor )\\d{1,2}(?= ?(?:$|[,⟦]))|\\bhalf an? (?:lit(?:re|er)|kilo|metre|meter|inch)\\b`,
  "gu",
);

/** Ages, counts, durations and measures: "8 year old", "2 year warranty", "50m". Each is one condition, never a name. */
export function measuresIn(text: string): string[][] {
  return [...text.matchAll(measure)].map(([words]) => words.split(/[\s-]+/u));
}

const digits = new Map(Object.entries(numbers.units).map(([word, value]) => [String(value), word]));

/** "4" may be written "four". */
export function spellings(word: string): string[] {
  const written = digits.get(word);
  return written === undefined ? [word] : [word, written];
}

/** Whether a text has the words of a measure side by side: the 8 of a model's name is no age. */
export function statesMeasure(text: string, measured: readonly string[]): boolean {
  return ` ${inDigits(text)} `.includes(` ${inDigits(measured.join(" "))} `);
}

const values = new Map(
  Object.entries(numbers.units).map(([word, value]) => [comparable(word), String(value)]),
);

/** "Four" is 4. */
function inDigits(text: string): string {
  const words = comparable(separated(text)).split(" ");
  return words.map((word) => values.get(word) ?? word).join(" ");
}

/** "50m" and "50 m" are the same. */
function separated(text: string): string {
  return text.replace(/(\d)(?=\p{L})/gu, "$1 ");
}
