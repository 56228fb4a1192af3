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
  if (at <= 0 && !thingFirst) return Math.min(255, words);
  const head = tokenize(at <= 0 ? name : name.slice(0, at));
  if (!thingFirst) return Math.min(255, head.length);
  const thing = head.findIndex((word) => !attributeWords.has(word));
  return Math.min(255, thing < 0 ? head.length : thing + 1);
}
