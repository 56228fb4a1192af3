import type { Constraints } from "../../../domain/query-understanding/constraints.ts";
import type { Relaxable } from "../../../ports/answer-writer.ts";
import { comparable } from "../understanding/same-word.ts";
import type { Want } from "../understanding/understanding.ts";

/** One way to ask for a want, with what was given up for it. */
export interface Attempt {
  want: Want;
  everyWord: boolean;
  givenUp: readonly Relaxable[];
  /** Words of the request that this attempt leaves out. */
  leftOut: readonly string[];
}

/** In the order they are given up. A price bound and what a product must not have are not here: they always hold. */
const steps: readonly { name: Relaxable; keys: readonly (keyof Constraints)[] }[] = [
  { name: "availability", keys: ["availability"] },
  { name: "discount", keys: ["minDiscount"] },
  { name: "rating", keys: ["minRating"] },
  { name: "colour", keys: ["colours"] },
  { name: "store", keys: ["stores"] },
  { name: "category", keys: ["categories"] },
  { name: "brand", keys: ["brands"] },
];

/**
 * First everything as asked; then with fewer of the words; then without one of the constraints; then without more and more
 * of them. The least is given up that finds anything.
 */
export function* attemptsFor(want: Want): Generator<Attempt> {
  yield { want, everyWord: true, givenUp: [], leftOut: [] };
  yield* attemptsWithFewerWords(want);
  const present = steps.filter(({ keys }) => keys.some((key) => want.constraints[key] !== undefined));
  for (const step of present) {
    const without = giveUp(want, step.keys);
    if (!isEmpty(without)) yield { want: without, everyWord: true, givenUp: [step.name], leftOut: [] };
  }
  let without = want;
  for (const [index, step] of present.entries()) {
    without = giveUp(without, step.keys);
    if (isEmpty(without)) return;
    const givenUp = present.slice(0, index + 1).map(({ name }) => name);
    yield { want: without, everyWord: false, givenUp, leftOut: [] };
  }
}

/** The index knows best which words tell least, but not which one is the thing: that one, or its category, stays. */
function* attemptsWithFewerWords(want: Want): Generator<Attempt> {
  const { words, head, constraints } = want;
  if (words.length > 1) yield { want, everyWord: false, givenUp: [], leftOut: [] };
  const kept = head === undefined ? [] : [head];
  const leftOut = words.filter((word) => !kept.includes(word));
  const isKind = head !== undefined || constraints.categories !== undefined;
  if (!isKind || leftOut.length === 0) return;
  yield { want: { ...want, words: kept }, everyWord: true, givenUp: ["words"], leftOut };
}

function giveUp(want: Want, keys: readonly (keyof Constraints)[]): Want {
  const constraints = { ...want.constraints };
  for (const key of keys) delete constraints[key];
  // What named the category is looked for in the texts instead: the thing itself is never given up.
  const restored = keys.includes("categories") ? (want.constraints.categories ?? []) : [];
  const words = [...want.words, ...restored.flatMap((name) => comparable(name).split(" "))];
  const head = restored.length > 0 ? words.at(-1) : want.head;
  return { words, ...(head !== undefined && { head }), constraints };
}

/** Without words and names a want would match the whole catalog: that is no answer to anything. */
function isEmpty({ words, constraints: { categories, brands, stores, colours } }: Want): boolean {
  return words.length === 0 && [categories, brands, stores, colours].every((list) => list === undefined);
}
