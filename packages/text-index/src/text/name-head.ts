import { tokenize } from "./tokenize.ts";

// The words after these describe the thing and do not name it: "Brass Desk Lamp with Dimmer, 2 Pack".
const qualifiers = /[,(|]| [-–—] | w\/|(?<!\d) (?:with|for|in) /i;

/** The number of words of a name that say what the thing is; at most 255. */
export function nameHeadLength(name: string, words: number): number {
  const at = name.search(qualifiers);
  return Math.min(255, at <= 0 ? words : tokenize(name.slice(0, at)).length);
}
