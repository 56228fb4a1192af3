import { alternation, letter, letterButNoDigit } from "./phrase-table.ts";
import units from "./words/units.json" with { type: "json" };

/** A separate number: not part of a word or of a longer number. */
export const number = `(?<!${letter}|\\.)(\\d+(?:\\.\\d+)?)(?![\\d.]*\\d)`;

/** Matches "under 30 in", but not "under 30 in black". */
const inches = "\\s*in(?= ?(?:$|[,.x⟦]|by |wide|tall|deep|high|long|thick))";

/** No measure, fraction or dimension may follow: "under 2 kg", "up to 10 x 12". */
export const noMeasure = `(?!\\s*-?\\s*${alternation(units)}|${inches}|\\s*["'/%]|\\s*[x*]\\s*\\d|\\s*-\\s*${letterButNoDigit})`;
