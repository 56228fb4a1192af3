import { fold } from "./fold.ts";
import { findGroups } from "./groups.ts";
import { tokenize } from "./tokenize.ts";

/** The parts of a language that say where the thing is in a name. */
export interface NameLanguage {
  readonly names: { readonly qualifiers: RegExp; readonly thingFirst: boolean };
  readonly attributeWords: ReadonlySet<string>;
}

/** The number of words of a name up to the one that says what the thing is; at most 255. `words` is the number of all. */
export function nameHeadLength(
  name: string,
  words: number,
  { names: { qualifiers, thingFirst }, attributeWords }: NameLanguage,
): number {
  const at = name.search(qualifiers);
  if (!thingFirst && at <= 0 && !anyDigit.test(name)) return Math.min(255, words);
  const text = at <= 0 ? name : name.slice(0, at);
  if (!thingFirst) return Math.min(255, tokenize(withoutMeasures(fold(text))).length);
  const head = tokenize(text);
  const thing = head.findIndex((word) => !attributeWords.has(word));
  return Math.min(255, thing < 0 ? head.length : thing + 1);
}

const anyDigit = /\d/;
const numberAtEnd = /\s\S*\d\S*$/;

/** Without the amounts, sizes and numbers at its end: "Kettle 1.7 l" is a kettle, "LED Bulb E27 8 W" a bulb. */
function withoutMeasures(folded: string): string {
  const text = folded.trimEnd();
  const last = findGroups(text).at(-1);
  const isMeasure = last?.end === text.length && (last.kind === "amount" || last.kind === "size");
  const end = isMeasure ? last.start : text.search(numberAtEnd);
  return end <= 0 ? text : withoutMeasures(text.slice(0, end));
}
