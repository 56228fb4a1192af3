import numbers from "@product-search/core/domain/query-understanding/words/numbers.json" with {
  type: "json",
};
import { comparable } from "./colours.ts";

const number = "\\d+(?:[.,]\\d+)?";
const unit =
  "(?:mm|cm|m|km|metres?|meters?|inch(?:es)?|ft|feet|foot|kg|kilos?|grams?|g|lbs?|pounds|oz|ml|cl|l|lit(?:re|er)s?|watts?|w|volts?|v|mah|gb|tb|mb|hz|mp|persons?|people|seats?|seater|players?|years?|months?|weeks?|days?|hours?|minutes?|yrs?|jahren?|ans|años)";
const least =
  "at least|more than|longer than|over|from|minimum(?: of)?|min|(?:no|not) less than|(?:down )?to";
const most = "at most|less than|under|up to|maximum(?: of)?|max|(?:no|not) more than";
const measure = new RegExp(
  `(?:\\b(?:${least}|${most}) )?(?<![\\p{L}\\d.])${number}(?: ?x ?${number})*[ -]?${unit}(?![\\p{L}\\d])(?:[ -](?:olds?|warranty|guarantee|long|wide|tall|high|deep|thick))?|\\b(?:at least|at most|more than|less than) \\d{1,3} \\p{L}{3,}|\\baged? \\d{1,3}\\b|(?<=\\bfor )\\d{1,2}(?= ?(?:$|[,⟦]))|\\bhalf an? (?:lit(?:re|er)|kilo|metre|meter|inch)\\b`,
  "gu",
);

/** Ages, counts, durations and measures: "8 year old", "at least 50m". Each is one condition, never a name. */
export function measuresIn(text: string): string[][] {
  return [...text.matchAll(measure)].map(([words]) => words.split(/[\s-]+/u));
}

/** "At least 24 hours": the hours of a product are compared. Undefined for a measure that must be the same. */
const bounded = new RegExp(`^(?:(?<least>${least})|${most}) (?<amount>[\\d.,]+) ?(?<unit>\\p{L}+)$`, "u");

const sameUnits = [
  "m metre meter metres meters",
  "cm centimetre centimeter",
  "l litre liter",
  "h hour hours hr",
  "kg kilo kilogram",
  "g gram",
].map((names) => names.split(" "));

function unitsLike(word: string): readonly string[] {
  return sameUnits.find((names) => names.includes(word) || names.includes(comparable(word))) ?? [word];
}

const people = new Set("person persons people".split(" "));

/** Words that a product with this measure must have, each in one of its spellings. */
export function wordsOfMeasure(measured: readonly string[]): readonly (readonly string[])[] {
  const { unit: ofBound } = bounded.exec(measured.join(" "))?.groups ?? {};
  if (ofBound !== undefined) return [unitsLike(ofBound)];
  return measured.filter((word) => !people.has(word)).map(spellings);
}

const digits = new Map(Object.entries(numbers.units).map(([word, value]) => [String(value), word]));

/** "4" may be written "four". */
export function spellings(word: string): string[] {
  const written = digits.get(word);
  return written === undefined ? [word] : [word, written];
}

/** Whether a text has the words of a measure side by side: the 8 of a model's name is no age. */
export function statesMeasure(text: string, measured: readonly string[]): boolean {
  const groups = bounded.exec(measured.join(" "))?.groups;
  const said = inDigits(text);
  if (
    people.has(measured.at(-1) ?? "") &&
    new RegExp(`\\b(?:serv|seat|sleep|fit|for) ${inDigits(measured[0] ?? "")}\\b`, "u").test(said)
  )
    return true;
  if (groups === undefined) return ` ${said} `.includes(` ${inDigits(measured.join(" "))} `);
  const units = unitsLike(groups.unit ?? "")
    .map(comparable)
    .join("|");
  const amount = Number((groups.amount ?? "").replace(",", "."));
  return [...said.matchAll(new RegExp(`(?<![\\p{L}\\d])(\\d+) (?:${units})(?![\\p{L}\\d])`, "gu"))].some(
    ([, own]) => (groups.least === undefined ? Number(own) <= amount : Number(own) >= amount),
  );
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
