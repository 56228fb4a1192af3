import type { QueryPlan, Relaxation } from "../query/query-plan.ts";
import { keyText } from "../segment/exact-keys.ts";
import type { WeighedWord } from "./weigh-words.ts";

/**
 * What an engine is asked for next. It replies with the number of documents that pass the filters, too; for `keyed` with the
 * number of all documents that have the key. What it was asked for last is the result.
 */
export type MatchStep =
  | { readonly kind: "keyed"; readonly key: string }
  | { readonly kind: "nothing" }
  | { readonly kind: "everything" }
  /** The documents with all the words and, before them, those that have the key. */
  | { readonly kind: "all"; readonly words: readonly WeighedWord[]; readonly key: string | undefined }
  /** The documents whose words are worth enough and, where that is needed, that have the thing. */
  | {
      readonly kind: "share";
      readonly words: readonly WeighedWord[];
      readonly thing: number;
      readonly relaxation: Relaxation;
    };

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

/** How the words of a query are read, by whoever knows the words of the catalog. */
export interface QueryReader {
  plan(text: string): QueryPlan;
  /** More ways to have the words; undefined when there are none. */
  widen(plan: QueryPlan): QueryPlan | undefined;
  weigh(plan: QueryPlan): readonly WeighedWord[];
}

export interface Demands {
  /** Empty: every document. */
  readonly text: string;
  /** With fewer hits than this, documents that lack words match, too. */
  readonly enough: number;
  /** Never that. */
  readonly everyWord: boolean;
}

/** The steps of a search, the same for every engine. Whoever runs them replies to each. */
export type MatchSteps = Generator<MatchStep, Matched, number>;

export function* matchSteps(reader: QueryReader, demands: Demands): MatchSteps {
  if (demands.text.trim() === "") {
    const total = yield { kind: "everything" };
    return { words: [], thing: -1, absentThing: undefined, total, totalWithEveryWord: total };
  }
  const plan = reader.plan(demands.text);
  const key = keyText(demands.text);
  if (key !== undefined && (yield { kind: "keyed", key }) > 0) return yield* matchKey(reader, plan, key);
  return yield* matchWords(reader, plan, demands);
}

/** Finds the documents that the whole text is a key of and, behind them, those with all its words. Nothing is given up. */
function* matchKey(reader: QueryReader, plan: QueryPlan, key: string): MatchSteps {
  const words = reader.weigh(plan).map((word) => ({ ...word, as: "matched" as const, used: [word.word] }));
  const total = yield { kind: "all", words, key };
  return { words, thing: plan.thing, absentThing: undefined, total, totalWithEveryWord: total };
}

/**
 * Finds the documents that have all the words. While they are fewer than `enough`, it looks for more ways to have a
 * word, then gives up words as the plan says.
 */
function* matchWords(reader: QueryReader, plan: QueryPlan, { enough, everyWord }: Demands): MatchSteps {
  const { thing } = plan;
  const absentThing = everyWord ? undefined : plan.absentThing;
  let words = reader.weigh(plan);
  const isHopeless = everyWord && plan.words.some(({ as }) => as === "unknown");
  if (isHopeless || absentThing !== undefined) {
    const total = yield { kind: "nothing" };
    return { words, thing, absentThing, total, totalWithEveryWord: total };
  }
  let total = yield { kind: "all", words, key: undefined };
  const wider = total < enough ? reader.widen(plan) : undefined;
  if (wider !== undefined) {
    words = reader.weigh(wider);
    total = yield { kind: "all", words, key: undefined };
  }
  const totalWithEveryWord = total;
  for (const relaxation of everyWord ? [] : plan.relaxations) {
    if (total >= (relaxation.isLastResort ? 1 : enough)) break;
    total = yield { kind: "share", words, thing, relaxation };
  }
  return { words, thing, absentThing, total, totalWithEveryWord };
}

/** Whether words that are never asked for still rank what the step finds. */
export function ranksOptional(step: MatchStep): boolean {
  return step.kind === "share" || (step.kind === "all" && step.key === undefined);
}
