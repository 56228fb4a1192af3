import { queryKey } from "../segment/exact-keys.ts";
import type { PlannedWord, QueryPlan, WordRole } from "./query-plan.ts";

/**
 * What a text means. It follows from the text, the catalog of the source and the languages alone, never from filters, order,
 * page or facets, and is the same for every engine.
 */
export interface Reading {
  /** `everything`: there is no text. `nothing`: the source has no such products. */
  readonly finds: "everything" | "words" | "nothing";
  /** In the order of the text. A document must have those that are required. */
  readonly words: readonly PlannedWord[];
  /** Documents with this key match as well, before all others. */
  readonly key: string | undefined;
  /** The index of the word that names the thing; −1 without one. */
  readonly thing: number;
  /** Whether names in the catalog use that word for a thing. */
  readonly isThingSure: boolean;
  /** Whether names in the catalog have that word: for a thing, unless documents have all words of the text. */
  readonly isThingNamed: boolean;
  /** The thing, if no document is such a thing. */
  readonly absentThing: string | undefined;
}

/** What only the documents tell: whether one of the source has the key, or all required words. */
export type ReadingQuestion =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "words"; readonly words: readonly PlannedWord[] };

/** The caller looks into the documents of the source and replies. */
export type ReadingSteps = Generator<ReadingQuestion, Reading, boolean>;

/** Reads the words of a text as the catalog has them. */
export interface QueryPlanner {
  plan(text: string): QueryPlan;
  /** More ways to match the words, for a text of which no document has all; undefined if there are none. */
  widen(plan: QueryPlan): QueryPlan | undefined;
  /** Whether names in the catalog have the word, or have it for a thing. */
  isNamed(word: PlannedWord): boolean;
  isThing(word: PlannedWord): boolean;
  /** About how many documents have the word. */
  frequencyOf(word: PlannedWord): number;
}

export interface ReadingRequest {
  /** Empty: all documents. */
  readonly text: string;
  /** No word is dropped. */
  readonly everyWord: boolean;
}

const everything: Reading = {
  finds: "everything",
  words: [],
  key: undefined,
  thing: -1,
  isThingSure: false,
  isThingNamed: false,
  absentThing: undefined,
};

export function* readText(planner: QueryPlanner, { text, everyWord }: ReadingRequest): ReadingSteps {
  if (text.trim() === "") return everything;
  const plan = planner.plan(text);
  const key = queryKey(text);
  if (key !== undefined && (yield { kind: "key", key })) {
    const words = plan.words.map((word) => ({ ...word, as: "matched" as const, used: [word.word] }));
    return { ...readingOf(planner, plan, words), finds: "words", isThingNamed: true, key };
  }
  const nothing = { ...readingOf(planner, plan, plan.words), finds: "nothing" as const };
  const absent = everyWord ? undefined : plan.findAbsentThing();
  const lacking = lackingWord(plan, everyWord);
  if (lacking !== undefined || absent?.isCertain === true)
    return everyWord ? nothing : { ...nothing, absentThing: absent?.word ?? lacking?.word };
  if (yield { kind: "words", words: plan.words }) return readingOf(planner, plan, plan.words);
  const wider = planner.widen(plan);
  if (wider !== undefined && (yield { kind: "words", words: wider.words }))
    return readingOf(planner, wider, wider.words);
  if (everyWord) return nothing;
  if (absent !== undefined) return { ...nothing, absentThing: absent.word };
  const words = yield* dropWords(planner, wider ?? plan);
  return words === undefined ? nothing : readingOf(planner, plan, words);
}

/** A word that the catalog does not have and without which the text would mean another thing. */
function lackingWord(plan: QueryPlan, everyWord: boolean): PlannedWord | undefined {
  const isUnknown = ({ as }: PlannedWord) => as === "unknown";
  if (everyWord || !plan.words.some(isUnknown)) return plan.words.find(isUnknown);
  const roles = plan.roles();
  return plan.words.find((word, place) => isUnknown(word) && isKept(roles[place]));
}

/** A word that names the thing, or makes it another one, is never dropped. */
function isKept(role: WordRole | undefined): boolean {
  return role === "thing" || role === "defining";
}

/** Words are dropped in this order. */
const droppedFirst = ["measure", "property", "use"] as const satisfies readonly WordRole[];

/**
 * Drops as few words as possible, in their order: from the words that are never dropped on, each other word is kept with which a
 * document has all so far. Undefined if no document has those that must stay.
 */
function* dropWords(
  planner: QueryPlanner,
  plan: QueryPlan,
): Generator<ReadingQuestion, readonly PlannedWord[] | undefined, boolean> {
  const { words } = plan;
  const roles = plan.roles();
  const places = [...words.keys()].filter((place) => words[place]?.isRequired);
  const kept = new Set(places.filter((place) => isKept(roles[place])));
  // A rare word says more than a frequent one.
  const frequencies = words.map((word) => planner.frequencyOf(word));
  const byRarity = places.toSorted((a, b) => (frequencies[a] ?? 0) - (frequencies[b] ?? 0) || a - b);
  const others = droppedFirst
    .toReversed()
    .flatMap((role) => byRarity.filter((place) => roles[place] === role));
  if (others.length === 0) return undefined;
  const withKept = (places: ReadonlySet<number>) =>
    words.map((word, place) =>
      !word.isRequired || places.has(place) ? word : { ...word, as: "dropped" as const, isRequired: false },
    );
  if (kept.size > 0 && !(yield { kind: "words", words: withKept(kept) })) return undefined;
  for (const place of others) {
    const more = new Set([...kept, place]);
    if (more.size < places.length && (yield { kind: "words", words: withKept(more) })) kept.add(place);
  }
  return kept.size === 0 ? undefined : withKept(kept);
}

function readingOf(planner: QueryPlanner, plan: QueryPlan, words: readonly PlannedWord[]): Reading {
  const thing = words[plan.thing];
  const isRead = words.some(({ isRequired }) => isRequired);
  const isWhole = words.every(({ as }) => as !== "dropped" && as !== "unknown");
  return {
    finds: isRead ? "words" : "nothing",
    words,
    key: undefined,
    thing: plan.thing,
    isThingSure: plan.isThingSure,
    isThingNamed: thing !== undefined && (planner.isThing(thing) || (isWhole && planner.isNamed(thing))),
    absentThing: undefined,
  };
}
