import type { Constraints } from "../../../domain/query-understanding/constraints.ts";
import type { Relaxable } from "../../../ports/answer-writer.ts";
import { comparable } from "../understanding/same-word.ts";
import type { Intent } from "../understanding/understanding.ts";

/** One way to ask for an intent, with what was given up for it. */
export interface Attempt {
  intent: Intent;
  /** Of the words of the intent, those that are searched for. */
  words: readonly string[];
  relaxed: readonly Relaxable[];
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
export function* attemptsFor(intent: Intent, isKnown: (word: string) => boolean): Generator<Attempt> {
  const features = featuresToTry(intent, isKnown);
  yield* attemptsWithWords(intent, [intent.words, ...features], isKnown);
  const { relaxed, leftOut } = attemptWith(intent, intent.words, []);
  yield* attemptsWithFewerConstraints(intent, { relaxed, leftOut });
  yield* attemptsWithWords(intent, namesToTry(intent, isKnown), isKnown);
}

/** What it is for goes before any word, and comes back once words are left out: then it must tell. */
function* attemptsWithWords(
  intent: Intent,
  choices: readonly (readonly string[])[],
  isKnown: (word: string) => boolean,
): Generator<Attempt> {
  const purposes = purposesFrom(intent.purpose.filter(isKnown));
  for (const words of choices) {
    const isWhole = words.length === intent.words.length;
    for (const purpose of purposes)
      if (isWhole || purpose.length > 0 || purposes.length === 1) yield attemptWith(intent, words, purpose);
  }
  if (purposes.length > 1)
    for (const words of choices) if (words.length < intent.words.length) yield attemptWith(intent, words, []);
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

function attemptWith(intent: Intent, words: readonly string[], purpose: readonly string[]): Attempt {
  const lacksPurpose = intent.purpose.length > 0 && purpose.length === 0;
  return {
    intent,
    words: [...words, ...purpose],
    relaxed: [
      ...(lacksPurpose ? (["purpose"] as const) : []),
      ...(words.length < intent.words.length ? (["words"] as const) : []),
    ],
    leftOut: [
      ...intent.purpose.filter((word) => !purpose.includes(word)),
      ...intent.words.filter((word) => !words.includes(word)),
    ],
  };
}

type Left = Pick<Attempt, "leftOut" | "relaxed">;

/** Words that no product has go first, then one feature after the other, the last first, then all of them. */
function featuresToTry(intent: Intent, isKnown: (word: string) => boolean): (readonly string[])[] {
  const known = intent.words.filter((word) => word === intent.head || isKnown(word));
  const features = known.filter((word) => intent.features.includes(word));
  const without = (left: readonly string[]) => known.filter((word) => !left.includes(word));
  const choices = [
    ...(known.length < intent.words.length ? [known] : []),
    ...(features.length > 1 ? features.toReversed().map((word) => without([word])) : []),
    ...(features.length > 0 ? [without(features)] : []),
    // Where there is nothing but features, any of them is better than none.
    ...(features.length > 1 && features.length === known.length ? features.map((word) => [word]) : []),
  ];
  return choices.filter((words) => !isEmpty({ ...intent, words }));
}

/** "Trail running shoes" may be running shoes, or just shoes: words of the name go from the front, the noun stays. */
function namesToTry(intent: Intent, isKnown: (word: string) => boolean): (readonly string[])[] {
  const name = intent.words.filter(
    (word) => !intent.features.includes(word) && (word === intent.head || isKnown(word)),
  );
  const noun = name.filter((word) => word === intent.head);
  const choices = [
    ...name.filter((word) => word !== intent.head).map((word) => name.filter((kept) => kept !== word)),
    noun,
  ];
  return name.length > noun.length ? choices.filter((words) => !isEmpty({ ...intent, words })) : [];
}

function* attemptsWithFewerConstraints(intent: Intent, { leftOut, relaxed }: Left): Generator<Attempt> {
  const present = steps.filter(({ keys }) => keys.some((key) => intent.constraints[key] !== undefined));
  for (const step of present) {
    const without = relax(intent, step.keys);
    if (isEmpty(without)) continue;
    yield { intent: without, words: without.words, relaxed: [...relaxed, step.name], leftOut };
  }
  let without = intent;
  for (const [index, step] of present.entries()) {
    without = relax(without, step.keys);
    if (isEmpty(without)) return;
    const names = present.slice(0, index + 1).map(({ name }) => name);
    yield { intent: without, words: without.words, relaxed: [...relaxed, ...names], leftOut };
  }
}

function relax(intent: Intent, keys: readonly (keyof Constraints)[]): Intent {
  const constraints = { ...intent.constraints };
  for (const key of keys) delete constraints[key];
  // What named the category is looked for in the texts instead: the thing itself is never given up.
  const restored = keys.includes("categories") ? (intent.constraints.categories ?? []) : [];
  if (restored.length > 1) return { ...intent, constraints, kinds: restored };
  const words = [...intent.words, ...restored.flatMap((name) => comparable(name).split(" "))];
  const head = restored.length > 0 ? words.at(-1) : intent.head;
  return { ...intent, words, constraints, ...(head !== undefined && { head }) };
}

/** Without words and names an intent would match the whole catalog: that is no answer to anything. */
function isEmpty({ words, kinds, constraints: { categories, brands, stores, colours } }: Intent): boolean {
  return (
    words.length === 0 && [categories, brands, stores, colours, kinds].every((list) => list === undefined)
  );
}
