import { colours as colourWords, type ForeignCode } from "@product-search/core/domain/languages/languages.ts";
import { fold } from "@product-search/core/domain/name-list.ts";
import {
  type Meaning,
  type Phrase,
  phrase,
} from "@product-search/core/domain/query-understanding/phrase-table.ts";

/** The common part of an English singular and plural (shelf, shelves), to compare words. The index has its own stemming. */
export function wordStem(word: string): string {
  // "Berry" and "hoodie" have the same plural ending.
  if (word.length > 4 && /ies?$/u.test(word)) return word.replace(/ies?$/u, "y");
  if (word.length < 4 || /(?:ss|us|is)$/u.test(word)) return word;
  return word.replace(/(?:es|s|e)$/u, "").replace(/f$/u, "v");
}

/** A name or word in a form for comparison: without case, accents and plural. */
export function comparable(text: string): string {
  return fold(text)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "")
    .map(wordStem)
    .join(" ");
}

/** A shorter word is the end of many others: "ring" of "string". */
const leastCompound = 4;

/** Whether a name has the noun, also as the end of a compound: a smartwatch is a watch, an armchair a chair. */
export function namesThing(name: string, noun: string): boolean {
  const thing = comparable(noun);
  if (thing === "") return false;
  const text = ` ${comparable(name)} `;
  return text.includes(` ${thing} `) || (thing.length >= leastCompound && text.includes(`${thing} `));
}

const colours = colourWords.map(({ en }) => en);
export const colourNames: ReadonlySet<string> = new Set(colours.flat());
const namesInAllLanguages: ReadonlySet<string> = new Set(
  colourWords.flatMap((row) => Object.values(row).flat().map(comparable)),
);

/** Whether a text names a colour, in any language. */
export function namesColour(text: string): boolean {
  return comparable(text)
    .split(" ")
    .some((word) => namesInAllLanguages.has(word));
}

/** The name of a colour in a language. */
export function colourIn([name = ""]: readonly string[], language: ForeignCode | undefined): string {
  const row = colourWords.find(({ en }) => en.includes(name));
  return (language === undefined ? undefined : row?.[language][0]) ?? name;
}

const spellings = new Map(colours.flatMap((group) => group.map((name) => [name, group] as const)));
const name = [...spellings.keys()].join("|");
const shade = "(?:(?:dark|light|pale|bright|deep|soft)[ -])?";

const eitherOf = (match: RegExpExecArray): Meaning => ({
  constraints: { colours: [namesIn(match[0]).flatMap((colour) => spellings.get(colour) ?? [])] },
});
const allOf = (match: RegExpExecArray): Meaning => ({
  constraints: { colours: namesIn(match[0]).map((colour) => spellings.get(colour) ?? []) },
});

function namesIn(text: string): string[] {
  return text.split(/[^a-z]+/).filter((word) => spellings.has(word));
}

/** A colour before one of these words is part of another name. */
const notBefore =
  "(?![ -](?:juice|oil|tea|beans?|peppers?|tomato(?:es)?|wine|chocolate|cheese|leaf|leaves|plated|medal)\\b)";

export const colourPhrases: readonly Phrase[] = [
  phrase(
    `\\b(?:in |coloured |colored )?${shade}(?:${name})(?:,? or (?:in )?${shade}(?:${name}))+\\b${notBefore}`,
    eitherOf,
  ),
  phrase(
    `\\b(?:in )?${shade}(?:${name})(?: ?(?:and|&|-) ?${shade}(?:${name}))*(?:[ -]colou?r(?:ed)?)?\\b${notBefore}`,
    allOf,
  ),
];
