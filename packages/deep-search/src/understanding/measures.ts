import numbers from "@product-search/core/domain/query-understanding/words/numbers.json" with {
  type: "json",
};
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { unlessUsedUp } from "../reading.ts";
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

/** The usual names of attributes, and the letters of sizes. */
const attributeNames: ReadonlyMap<string, string> = new Map([
  ["size", "size"],
  ["sizes", "size"],
  ["material", "material"],
  ["pattern", "pattern"],
  ["condition", "condition"],
]);
const letters: ReadonlyMap<string, string> = new Map([
  ["small", "S"],
  ["medium", "M"],
  ["large", "L"],
]);

export interface AskedAttribute {
  name: string;
  values: readonly string[];
  /** Its words in the request. */
  words: readonly string[];
}

/** "Size 42" among the words, if products have this value of this attribute. Else the words are searched for in texts. */
export async function attributesIn(
  words: readonly string[],
  { search }: Pick<TextSearch, "search">,
  signal: AbortSignal,
): Promise<AskedAttribute[]> {
  const asked: AskedAttribute[] = [];
  for (const [at, word] of words.entries()) {
    const name = attributeNames.get(word);
    const value = words[at + 1];
    if (name === undefined || value === undefined) continue;
    const values = [value, letters.get(value) ?? []].flat();
    const filters = { source: "catalog", attributes: [{ name, values }] } as const;
    const query = { text: "", filters, sort: "relevance", offset: 0, limit: 1 } as const;
    const { total } = await unlessUsedUp(() => search(query, signal), { total: 0 });
    if (total > 0) asked.push({ name, values, words: [word, value] });
  }
  return asked;
}
