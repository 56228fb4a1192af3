import type { Constraints } from "../../../domain/query-understanding/constraints.ts";
import type { Relaxable } from "../../../ports/answer-writer.ts";
import { comparable } from "../understanding/same-word.ts";
import type { Want } from "../understanding/understanding.ts";

/** One way to ask for a want, with what was given up for it. */
export interface Attempt {
  want: Want;
  /** Of the words of the want, those that are searched for. */
  words: readonly string[];
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
 * First everything as asked; then without what it is for; then with fewer of the words; then without one of the constraints;
 * then without more and more of them. The least is given up that finds anything.
 */
export function* attemptsFor(want: Want, isKnown: (word: string) => boolean): Generator<Attempt> {
  for (const words of wordsToTry(want, isKnown)) {
    for (const purpose of purposesFrom(want.purpose.filter(isKnown))) {
      // Where words are left out, what it is for must tell.
      if (words.length < want.words.length && purpose.length === 0 && want.purpose.some(isKnown)) continue;
      yield attemptWith(want, words, purpose);
    }
  }
  for (const words of wordsToTry(want, isKnown)) {
    if (words.length < want.words.length && want.purpose.some(isKnown)) yield attemptWith(want, words, []);
  }
  const { givenUp, leftOut } = attemptWith(want, want.words, []);
  yield* attemptsWithFewerConstraints(want, { givenUp, leftOut });
}

/** All of them, then each by itself, the last first, which is the noun, then none. */
function purposesFrom(purpose: readonly string[]): readonly (readonly string[])[] {
  const singles =
    purpose.length < 2
      ? []
      : purpose
          .toReversed()
          .slice(0, mostSingles)
          .map((word) => [word]);
  return purpose.length === 0 ? [[]] : [purpose, ...singles, []];
}

const mostSingles = 3;

function attemptWith(want: Want, words: readonly string[], purpose: readonly string[]): Attempt {
  const lacksPurpose = want.purpose.length > 0 && purpose.length === 0;
  return {
    want,
    words: [...words, ...purpose],
    everyWord: true,
    givenUp: [
      ...(lacksPurpose ? (["purpose"] as const) : []),
      ...(words.length < want.words.length ? (["words"] as const) : []),
    ],
    leftOut: [
      ...want.purpose.filter((word) => !purpose.includes(word)),
      ...want.words.filter((word) => !words.includes(word)),
    ],
  };
}

type Left = Pick<Attempt, "leftOut" | "givenUp">;

/** Words that no product has go first, then one word after the other. The thing itself, or its category, stays. */
function* wordsToTry(want: Want, isKnown: (word: string) => boolean): Generator<readonly string[]> {
  yield want.words;
  const isHead = (word: string): boolean => word === want.head;
  const known = want.words.filter((word) => isHead(word) || isKnown(word));
  if (isEmpty({ ...want, words: known })) return;
  if (known.length < want.words.length) yield known;
  const others = known.filter((word) => !isHead(word));
  // The words behind the thing describe it, those before it are a part of its name: these go last.
  if (others.length > 1) for (const word of others.toReversed()) yield known.filter((kept) => kept !== word);
  const kept = known.filter(isHead);
  if (others.length > 0 && !isEmpty({ ...want, words: kept })) yield kept;
  else if (others.length > 1) for (const word of others) yield [word];
}

function* attemptsWithFewerConstraints(want: Want, { leftOut, givenUp }: Left): Generator<Attempt> {
  const present = steps.filter(({ keys }) => keys.some((key) => want.constraints[key] !== undefined));
  for (const step of present) {
    const without = giveUp(want, step.keys);
    if (isEmpty(without)) continue;
    yield { want: without, words: without.words, everyWord: true, givenUp: [...givenUp, step.name], leftOut };
  }
  let without = want;
  for (const [index, step] of present.entries()) {
    without = giveUp(without, step.keys);
    if (isEmpty(without)) return;
    const names = present.slice(0, index + 1).map(({ name }) => name);
    yield { want: without, words: without.words, everyWord: false, givenUp: [...givenUp, ...names], leftOut };
  }
}

function giveUp(want: Want, keys: readonly (keyof Constraints)[]): Want {
  const constraints = { ...want.constraints };
  for (const key of keys) delete constraints[key];
  // What named the category is looked for in the texts instead: the thing itself is never given up.
  const restored = keys.includes("categories") ? (want.constraints.categories ?? []) : [];
  if (restored.length > 1) return { ...want, constraints, kinds: restored };
  const words = [...want.words, ...restored.flatMap((name) => comparable(name).split(" "))];
  const head = restored.length > 0 ? words.at(-1) : want.head;
  return { ...want, words, constraints, ...(head !== undefined && { head }) };
}

/** Without words and names a want would match the whole catalog: that is no answer to anything. */
function isEmpty({ words, kinds, constraints: { categories, brands, stores, colours } }: Want): boolean {
  return (
    words.length === 0 && [categories, brands, stores, colours, kinds].every((list) => list === undefined)
  );
}
