import type { QueryPlan } from "../query/query-plan.ts";
import type { Matching } from "./matching.ts";
import { type WeighedWord, weighWords } from "./weigh-words.ts";

export interface Matched {
  /** In the order of the query. */
  readonly words: readonly WeighedWord[];
  /** The place of the word that names what is wanted; −1 without one. */
  readonly thing: number;
  /** What is wanted, when no document is such a thing. */
  readonly absentThing: string | undefined;
  readonly total: number;
  readonly totalWithEveryWord: number;
}

export interface Demands {
  /** With fewer hits than this, documents that lack words match, too. */
  readonly enough: number;
  /** Never that. */
  readonly everyWord: boolean;
}

export function matchEverything(search: Matching): Matched {
  const total = search.everything();
  return { words: [], thing: -1, absentThing: undefined, total, totalWithEveryWord: total };
}

/** Finds the documents that the whole text is a key of and, behind them, those with all its words. Nothing is given up. */
export function matchKey(search: Matching, plan: QueryPlan, key: number): Matched {
  const words = weighWords(search.readers, plan).map((word) => ({
    ...word,
    as: "matched" as const,
    used: [word.word],
  }));
  const total = search.withAll(words, key);
  return { words, thing: plan.thing, absentThing: undefined, total, totalWithEveryWord: total };
}

/**
 * Finds the documents that have all the words. While they are fewer than `enough`, it looks for more ways to have a
 * word, then gives up words as the plan says. What was found is left in the readers' scratch space.
 */
export function matchQuery(
  search: Matching,
  plan: QueryPlan,
  widen: (plan: QueryPlan) => QueryPlan | undefined,
  { enough, everyWord }: Demands,
): Matched {
  const { thing } = plan;
  const absentThing = everyWord ? undefined : plan.absentThing;
  let words = weighWords(search.readers, plan);
  const isHopeless = everyWord && plan.words.some(({ as }) => as === "unknown");
  if (isHopeless || absentThing !== undefined) {
    search.nothing();
    return { words, thing, absentThing, total: 0, totalWithEveryWord: 0 };
  }
  let total = search.withAll(words);
  const wider = total < enough ? widen(plan) : undefined;
  if (wider !== undefined) {
    words = weighWords(search.readers, wider);
    total = search.withAll(words);
  }
  const totalWithEveryWord = total;
  for (const relaxation of everyWord ? [] : plan.relaxations) {
    if (total >= (relaxation.isLastResort ? 1 : enough)) break;
    total = search.withShare(words, thing, relaxation);
  }
  search.addOptional(words);
  return { words, thing, absentThing, total, totalWithEveryWord };
}
