import { withoutMarks } from "../request-meaning.ts";
import { fillerWords, foreignFillers, prepositions, quantityPhrase } from "./grammar-words.ts";

const token = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'.+&-]*/gu;

/** After a number, one of these words makes a property: "2 person". */
const countedNouns = new Set(
  "person people man seater seat piece door drawer litre liter inch hour day month year pack ply".split(" "),
);

/** The words of a text except function words, in order. */
export function contentWords(text: string): readonly string[] {
  const words = plainWords(withoutMarks(text).replace(quantityPhrase, " ")).filter(
    (word) => !fillerWords.has(word) && !prepositions.has(word),
  );
  return withoutCount(words);
}

/** "6 dining chairs" means chairs; in "2 person tents" the number is a property. */
export function withoutCount(words: readonly string[]): readonly string[] {
  const [first = "", second = ""] = words;
  const isCount = /^\d{1,2}$/u.test(first) && !countedNouns.has(second) && /[^s]s$/u.test(words.at(-1) ?? "");
  return isCount ? words.slice(1) : words;
}

function plainWords(text: string): string[] {
  return [...text.matchAll(token)]
    .map(([word]) => word.replace(/[.'&+-]+$/u, ""))
    .filter((word) => !foreignFillers.has(word));
}
