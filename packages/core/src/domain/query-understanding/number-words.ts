import { alternation } from "./alternation.ts";
import { rewrite, type TracedText } from "./traced-text.ts";
import numbers from "./words/numbers.json" with { type: "json" };

const units = new Map(Object.entries(numbers.units));
const scales = new Map(Object.entries(numbers.scales));
const unit = alternation([...units.keys()]);
const scale = alternation([...scales.keys()]);

/** A sequence of number words: "two hundred and fifty", "twenty-five", "a thousand", "four point five". */
const run = new RegExp(
  `(?:\\b(?:a|${unit})[\\s-]+${scale}|${unit})(?:(?:[\\s-]+and)?[\\s-]+(?:${unit}|${scale}))*(?:\\s+point\\s+${unit})?`,
  "g",
);

/** "under two hundred and fifty" → "under 250". A single "one" stays, because it is usually a pronoun. */
export function replaceNumberWords(traced: TracedText): TracedText {
  return rewrite(traced, run, ([words]) => (words === "one" ? undefined : readRun(words)));
}

function readRun(words: string): string {
  const [whole = "", fraction] = words.split(/\s+point\s+/);
  let total = 0;
  let current = 0;
  let previous = Number.POSITIVE_INFINITY;
  for (const word of whole.split(/[\s-]+/)) {
    const factor = scales.get(word);
    const value = units.get(word) ?? (word === "a" ? 1 : undefined);
    if (factor === 100) current = (current || 1) * factor;
    else if (factor !== undefined) {
      total += (current || 1) * factor;
      current = 0;
    } else if (value !== undefined) {
      // "five six" is not one number: two units in a row stay separate, as "5 6".
      if (current % 100 !== 0 && !(previous >= 20 && value < 10)) return `${total + current} ${value}`;
      current += value;
      previous = value;
    }
  }
  const digits = fraction === undefined ? "" : `.${units.get(fraction) ?? 0}`;
  return `${total + current}${digits}`;
}
