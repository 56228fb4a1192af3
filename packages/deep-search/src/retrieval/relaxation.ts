import type { Constraints } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import type { Relaxable } from "@product-search/core/ports/answer-writer.ts";
import { comparable } from "../understanding/colours.ts";
import type { Intent } from "../understanding/understanding.ts";
import { featuresServing } from "../understanding/word-lists.ts";

/** One way to search for an intent, with the constraints that were relaxed for it. */
export interface Attempt {
  intent: Intent;
  /** The words of the intent that are searched for. */
  words: readonly string[];
  relaxed: readonly Relaxable[];
  /** Words of the request that this attempt leaves out. */
  leftOut: readonly string[];
  /** Words of the request in whose place a feature is searched for that serves them. */
  served?: Served;
}

/** "Flight" by "noise cancelling". */
export interface Served {
  words: readonly string[];
  by: string;
}

/** Without one of these, the products would be the opposite of what is wanted: leather for "vegan leather". */
const neverDropped = new Set("vegan vegetarian faux fake imitation artificial hypoallergenic".split(" "));

export function isMisleading({ leftOut }: Attempt): boolean {
  return leftOut.some((word) => neverDropped.has(word));
}

/** In the order in which they are relaxed. Price bounds and exclusions are missing: they are never relaxed. */
const steps: readonly { name: Relaxable; keys: readonly (keyof Constraints)[] }[] = [
  { name: "availability", keys: ["availability"] },
  { name: "discount", keys: ["minDiscount"] },
  { name: "rating", keys: ["minRating"] },
  { name: "attribute", keys: ["attributes", "measures"] },
  { name: "colour", keys: ["colours"] },
  { name: "store", keys: ["stores"] },
  { name: "category", keys: ["categories"] },
  { name: "brand", keys: ["brands"] },
];

/**
 * First the whole intent; then with a feature that serves its purpose; then without its purpose; then with fewer features; then without one constraint, and without
 * more and more of them; finally with fewer words of its name. The first attempt that finds anything is used.
 */
export function* attemptsFor(intent: Intent, isKnown: (word: string) => boolean): Generator<Attempt> {
  const features = featuresToTry(intent, isKnown);
  // "Made for hot tea" does not say that a mug keeps it hot.
  if (intent.keeps !== undefined) yield* attemptsWithServingFeature(intent, isKnown);
  if ([...intent.words, ...intent.purpose].every((word) => word === intent.head || isKnown(word))) {
    for (const purpose of purposesFrom(intent.purpose))
      if (purpose.length > 0 || intent.purpose.length === 0) yield attemptWith(intent, intent.words, purpose);
  }
  yield* attemptsWithServingFeature(intent, isKnown);
  yield* attemptsWithWords(intent, [intent.words, ...features], isKnown);
  const { relaxed, leftOut } = attemptWith(intent, intent.words, []);
  yield* attemptsWithFewerConstraints(intent, { relaxed, leftOut });
  const names = namesToTry(intent, isKnown);
  yield* attemptsWithWords(intent, names, isKnown);
  // Both fewer words and fewer constraints, but the same thing. The price bound stays.
  for (const words of [...features, ...names].slice(0, maxBoth)) {
    const left = attemptWith(intent, words, []);
    yield* attemptsWithFewerConstraints(
      { ...intent, words },
      left,
      steps.filter(({ name }) => name !== "category"),
    );
  }
}

const maxBoth = 3;

/** "Headphones for a flight": no text speaks of flights, but noise cancelling serves them. Only for a thing that is named. */
function* attemptsWithServingFeature(intent: Intent, isKnown: (word: string) => boolean): Generator<Attempt> {
  const { head, kinds, constraints, features, purpose } = intent;
  if (head === undefined && kinds === undefined && constraints.categories === undefined) return;
  const isServed = (word: string): boolean =>
    featuresServing.has(comparable(word)) &&
    (purpose.includes(word) ||
      features.includes(word) ||
      (constraints.categories !== undefined && word !== head));
  const all = [...new Set([...purpose, ...intent.words])].filter(isServed);
  const fewer = all.filter((word) => purpose.includes(word));
  for (const needs of fewer.length > 0 && fewer.length < all.length ? [fewer, all] : [all])
    yield* attemptsServing(intent, needs, isKnown);
}

function* attemptsServing(
  intent: Intent,
  needs: readonly string[],
  isKnown: (word: string) => boolean,
): Generator<Attempt> {
  const ways = new Set(needs.flatMap((word) => featuresServing.get(comparable(word)) ?? []));
  const words = intent.words.filter((word) => !needs.includes(word));
  const others = intent.purpose.filter((word) => !needs.includes(word));
  const without = (dropped: readonly string[], list: readonly string[]) =>
    list.filter((word) => !dropped.includes(word));
  const unknown = [...words, ...others].filter((word) => word !== intent.head && !isKnown(word));
  const features = words.filter((word) => intent.features.includes(word));
  // All that is known, then no other purpose, then no other features: "for kids, size 128".
  const choices = [unknown, [...unknown, ...others], [...unknown, ...others, ...features]];
  // A feature serves only those words in whose list it is: fleece is warm, and not waterproof.
  const servedBy = (by: string) =>
    needs.filter((word) => featuresServing.get(comparable(word))?.includes(by) ?? false);
  const inOrder = [...ways].toSorted((one, other) => servedBy(other).length - servedBy(one).length);
  for (const dropped of distinct(choices))
    for (const by of inOrder) {
      const kept = without(dropped, words);
      const served = servedBy(by);
      const unserved = needs.filter((word) => !served.includes(word));
      const isPurpose = (word: string): boolean => intent.purpose.includes(word);
      const lost = [...others, ...words].filter((word) => dropped.includes(word));
      yield {
        intent,
        words: [...kept, ...without(dropped, others), ...by.split(" ")],
        relaxed: [
          ...([...lost, ...unserved].some(isPurpose) ? (["purpose"] as const) : []),
          ...([...lost, ...unserved].some((word) => !isPurpose(word)) ? (["words"] as const) : []),
        ],
        leftOut: [...lost, ...unserved],
        served: { words: served, by },
      };
    }
}

function distinct(lists: readonly (readonly string[])[]): (readonly string[])[] {
  return [...new Map(lists.map((list) => [[...new Set(list)].toSorted().join(" "), list])).values()];
}

/** The purpose is dropped before any word. When words are dropped, it is tried again, because it then says the most. */
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

/** The whole purpose, then each of its words (last first, which is the noun), then none. */
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

/** Drops unknown words first, then one feature at a time (last first), then all of them. */
function featuresToTry(intent: Intent, isKnown: (word: string) => boolean): (readonly string[])[] {
  const known = intent.words.filter((word) => word === intent.head || isKnown(word));
  const features = known.filter((word) => intent.features.includes(word));
  const without = (left: readonly string[]) => known.filter((word) => !left.includes(word));
  const choices = [
    ...(known.length < intent.words.length ? [known] : []),
    ...(features.length > 1 ? features.toReversed().map((word) => without([word])) : []),
    ...(features.length > 0 ? [without(features)] : []),
    // If there are only features, any of them is better than none.
    ...(features.length > 1 && features.length === known.length ? features.map((word) => [word]) : []),
  ];
  return choices.filter((words) => !isEmpty({ ...intent, words }));
}

/** "Trail running shoes" may be running shoes or just shoes: words are dropped from the front of the name. */
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

function* attemptsWithFewerConstraints(
  intent: Intent,
  { leftOut, relaxed }: Left,
  among: typeof steps = steps,
): Generator<Attempt> {
  const present = among.filter(({ keys }) => keys.some((key) => intent.constraints[key] !== undefined));
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
  // The words that named the category are searched for in the texts instead: the thing itself is never dropped.
  const restored = keys.includes("categories") ? (intent.constraints.categories ?? []) : [];
  const words = [...intent.words, ...restored.flatMap((name) => comparable(name).split(" "))];
  const head = restored.length > 0 ? words.at(-1) : intent.head;
  return { ...intent, words, constraints, ...(head !== undefined && { head }) };
}

/** Without words and names, an intent would match the whole catalog, which is no useful result. */
function isEmpty({ words, kinds, constraints: { categories, brands, stores, colours } }: Intent): boolean {
  return (
    words.length === 0 && [categories, brands, stores, colours, kinds].every((list) => list === undefined)
  );
}
