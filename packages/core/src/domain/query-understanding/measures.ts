import { unitSpellings } from "@product-search/text-index";
import type { MeasureRange } from "../../ports/text-search.ts";
import { price } from "../languages/languages.ts";
import { alternation, letter, letterButNoDigit, type Meaning, type Phrase } from "./phrase-table.ts";
import units from "./words/units.json" with { type: "json" };

/** A separate number: not part of a word or of a longer number. */
export const number = `(?<!${letter}|\\.)(\\d+(?:\\.\\d+)?)(?![\\d.]*\\d)`;

/** Matches "under 30 in", but not "under 30 in black". */
const inches = "\\s*in(?= ?(?:$|[,.x⟦]|by |wide|tall|deep|high|long|thick))";

/** No measure, fraction or dimension may follow: "under 2 kg", "up to 10 x 12". */
export const noMeasure = `(?!\\s*-?\\s*${alternation(units)}|${inches}|\\s*["'/%]|\\s*[x*]\\s*\\d|\\s*-\\s*${letterButNoDigit})`;

/** "Under 50 pounds" is a price; a single letter is often something else than a ton, an hour or a second. */
const otherMeanings = ["pound", "pounds", "t", "h", "s", "in"];
const writtenUnits = unitSpellings
  .filter((unit) => !otherMeanings.includes(unit))
  .toSorted((one, other) => other.length - one.length)
  .map((unit) => unit.replaceAll(".", "\\."))
  .join("|");
const unit = `\\s?-?\\s?((?:${writtenUnits})(?!${letter})|in(?= ?(?:$|[,.x⟦]|by |wide|tall|deep|high|long|thick)))`;
const measure = `${number}${unit}(?: (?:wide|tall|deep|high|long|thick|heavy)(?!${letter}))?`;
const and = alternation(price.and);
const to = alternation(price.to);
/** "Around" means plus or minus a fifth, as for prices. */
const aroundShare = 0.2;

const firstNumber = `${number}(?:\\s?(?:${writtenUnits})(?!${letter}))?`;

type Read = (amount: number, other: number) => Omit<MeasureRange, "unit">;
const between: Read = (one, other) => ({ min: Math.min(one, other), max: Math.max(one, other) });
const atMost: Read = (max) => ({ max });
const atLeast: Read = (min) => ({ min });
const around: Read = (middle) => ({ min: middle * (1 - aroundShare), max: middle * (1 + aroundShare) });

const patterns: ReadonlyArray<readonly [source: string, read: Read]> = [
  [`${alternation(price.between)} ${firstNumber} ?${and} ?${measure}`, between],
  [`${alternation(price.from)} ${firstNumber} (?:up )?${to} ?${measure}`, between],
  [`${alternation(price.below, price.atMost)} ?${measure}`, atMost],
  [`${measure} ${alternation(price.orLess)}`, atMost],
  [`${alternation(price.above, price.atLeast)} ?${measure}`, atLeast],
  [`${measure} ${alternation(price.orMore)}`, atLeast],
  [`${alternation(price.about)} ?${measure}`, around],
];
const compiled = patterns.map(([source, read]) => ({ pattern: new RegExp(source, "g"), read }));
const numberWithUnit = new RegExp(`\\d${unit}`, "i");

/** Whether a text may have bounds in a unit: most have none and need not be read twice. */
export function mayHaveMeasures(text: string): boolean {
  return numberWithUnit.test(text);
}

/** Bounds in a unit: "over 20 cm", "up to 5 kg". They are read if `isUnit` says that the catalog has such numbers. */
export function measurePhrases(isUnit: (unit: string) => boolean): Phrase[] {
  return compiled.map(({ pattern, read }) => ({
    pattern,
    read: ([, ...groups]): Meaning | undefined => {
      const present = groups.filter((group) => group !== undefined);
      const written = present.at(-1) ?? "";
      const [amount = 0, other = amount] = present.slice(0, -1).map(Number);
      if (!isUnit(written)) return undefined;
      return { constraints: { measures: [{ unit: written, ...read(amount, other) }] } };
    },
  }));
}
