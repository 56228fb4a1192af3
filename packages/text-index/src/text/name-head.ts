import { tokenize } from "./tokenize.ts";

// What follows says more about the thing, no longer what it is: "Brass Desk Lamp with Dimmer, 2 Pack".
const qualifiers = /[,(|]| [-–—] | w\/|(?<!\d) (?:with|for|in) /i;

/** How many words of a name say what the thing is; at most 255. */
export function nameHeadLength(name: string, words: number): number {
  const at = name.search(qualifiers);
  return Math.min(255, at <= 0 ? words : tokenize(name.slice(0, at)).length);
}
