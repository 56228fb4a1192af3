import type { Constraints } from "../../../domain/query-understanding/constraints.ts";
import type { Relaxable } from "../../../ports/answer-writer.ts";
import { comparable } from "../understanding/same-word.ts";
import type { Want } from "../understanding/understanding.ts";

/** One way to ask for a want, with what was given up for it. */
export interface Attempt {
  want: Want;
  /** Of the words of the want, those that are searched for. */
  words: readonly string[];
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
 * First everything as asked; then without what it is for; then with fewer of its features; then without one of the constraints,
 * and without more and more of them; at last with fewer words of its name. The least is given up that finds anything.
 */
export function* attemptsFor(want: Want, isKnown: (word: string) => boolean): Generator<Attempt> {
  const features = featuresToTry(want, isKnown);
  yield* attemptsWithWords(want, [want.words, ...features], isKnown);
  const { givenUp, leftOut } = attemptWith(want, want.words, []);
  yield* attemptsWithFewerConstraints(want, { givenUp, leftOut });
  yield* attemptsWithWords(want, namesToTry(want, isKnown), isKnown);
}

/** What it is for goes before any word, and comes back once words are left out: then it must tell. */
function* attemptsWithWords(
  want: Want,
  choices: readonly (readonly string[])[],
  isKnown: (word: string) => boolean,
): Generator<Attempt> {
  const purposes = purposesFrom(want.purpose.filter(isKnown));
  for (const words of choices) {
    const isWhole = words.length === want.words.length;
    for (const purpose of purposes)
      if (isWhole || purpose.length > 0 || purposes.length === 1) yield attemptWith(want, words, purpose);
  }
  if (purposes.length > 1)
    for (const words of choices) if (words.length < want.words.length) yield attemptWith(want, words, []);
}

/** All of them, then each by itself, the last first, which is the noun, then none. */
function purposesFrom(purpose: readonly string[]): readonly (readonly string[])[] {
  const singles =
    purpose.length < 2
      ? []
      : purpose
          .toReversed()
          .slice(0, maxSingles)
          .map((word) => [word]);
  return purpose.length === 0 ? [[]] : [purpose, ...singles, []];
}

const maxSingles = 3;

function attemptWith(want: Want, words: readonly string[], purpose: readonly string[]): Attempt {
  const lacksPurpose = want.purpose.length > 0 && purpose.length === 0;
  return {
    want,
    words: [...words, ...purpose],
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

/** Words that no product has go first, then one feature after the other, the last first, then all of them. */
function featuresToTry(want: Want, isKnown: (word: string) => boolean): (readonly string[])[] {
  const known = want.words.filter((word) => word === want.head || isKnown(word));
  const features = known.filter((word) => want.features.includes(word));
  const without = (left: readonly string[]) => known.filter((word) => !left.includes(word));
  const choices = [
    ...(known.length < want.words.length ? [known] : []),
    ...(features.length > 1 ? features.toReversed().map((word) => without([word])) : []),
    ...(features.length > 0 ? [without(features)] : []),
    // Where there is nothing but features, any of them is better than none.
    ...(features.length > 1 && features.length === known.length ? features.map((word) => [word]) : []),
  ];
  return choices.filter((words) => !isEmpty({ ...want, words }));
}

/** "Trail running shoes" may be running shoes, or just shoes: words of the name go from the front, the noun stays. */
function namesToTry(want: Want, isKnown: (word: string) => boolean): (readonly string[])[] {
  const name = want.words.filter(
    (word) => !want.features.includes(word) && (word === want.head || isKnown(word)),
  );
  const noun = name.filter((word) => word === want.head);
  const choices = [
    ...name.filter((word) => word !== want.head).map((word) => name.filter((kept) => kept !== word)),
    noun,
  ];
  return name.length > noun.length ? choices.filter((words) => !isEmpty({ ...want, words })) : [];
}

function* attemptsWithFewerConstraints(want: Want, { leftOut, givenUp }: Left): Generator<Attempt> {
  const present = steps.filter(({ keys }) => keys.some((key) => want.constraints[key] !== undefined));
  for (const step of present) {
    const without = giveUp(want, step.keys);
    if (isEmpty(without)) continue;
    yield { want: without, words: without.words, givenUp: [...givenUp, step.name], leftOut };
  }
  let without = want;
  for (const [index, step] of present.entries()) {
    without = giveUp(without, step.keys);
    if (isEmpty(without)) return;
    const names = present.slice(0, index + 1).map(({ name }) => name);
    yield { want: without, words: without.words, givenUp: [...givenUp, ...names], leftOut };
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
