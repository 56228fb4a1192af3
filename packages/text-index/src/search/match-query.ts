import type { QueryPlan, Relaxation, Unit } from "../query/query-plan.ts";
import { queryKey } from "../segment/exact-keys.ts";
import type { WeighedWord } from "./weigh-words.ts";

/**
 * The next request to an engine. The engine replies with the number of documents that also pass the filters; for
 * `keyed`, with the number of all documents that have the key. The last request gives the result.
 */
export type MatchStep =
  | { readonly kind: "keyed"; readonly key: string }
  | { readonly kind: "nothing" }
  | { readonly kind: "everything" }
  /** The documents with all the words, preceded by those with the key. */
  | { readonly kind: "all"; readonly words: readonly WeighedWord[]; readonly key: string | undefined }
  /** The documents whose units reach the minimum cost: those with all units first, then those with the most. */
  | {
      readonly kind: "share";
      readonly words: readonly WeighedWord[];
      readonly units: readonly Unit[];
      readonly relaxation: Relaxation;
    };

export interface Matched {
  /** In the order of the query. */
  readonly words: readonly WeighedWord[];
  /** The index of the word that names the thing; −1 without one. */
  readonly thing: number;
  /** Whether names in the catalog use that word for a thing. */
  readonly isThingSure: boolean;
  /** The thing, if no document is such a thing. */
  readonly absentThing: string | undefined;
  readonly total: number;
  readonly totalWithEveryWord: number;
}

/** Reads the words of a query; implemented by a module that knows the words of the catalog. */
export interface QueryReader {
  plan(text: string): QueryPlan;
  /** More ways to match the words; undefined if there are none. */
  widen(plan: QueryPlan): QueryPlan | undefined;
  weigh(plan: QueryPlan): readonly WeighedWord[];
}

export interface Demands {
  /** Empty: all documents. */
  readonly text: string;
  /** With fewer hits than this, documents that lack words match as well. */
  readonly enough: number;
  /** Whether documents that lack words come after all others, so that many of them do no harm. */
  readonly byRelevance: boolean;
  /** Never match such documents. */
  readonly everyWord: boolean;
}

/** The steps of a search, the same for every engine. The caller runs each step and sends the reply. */
export type MatchSteps = Generator<MatchStep, Matched, number>;

export function* matchSteps(reader: QueryReader, demands: Demands): MatchSteps {
  if (demands.text.trim() === "") {
    const total = yield { kind: "everything" };
    const nothing = { words: [], thing: -1, isThingSure: false, absentThing: undefined };
    return { ...nothing, total, totalWithEveryWord: total };
  }
  const plan = reader.plan(demands.text);
  const key = queryKey(demands.text);
  if (key !== undefined && (yield { kind: "keyed", key }) > 0) return yield* matchKey(reader, plan, key);
  return yield* matchWords(reader, plan, demands);
}

/** Finds the documents whose key is the whole text, followed by those with all its words. No word is dropped. */
function* matchKey(reader: QueryReader, plan: QueryPlan, key: string): MatchSteps {
  const words = reader.weigh(plan).map((word) => ({ ...word, as: "matched" as const, used: [word.word] }));
  const total = yield { kind: "all", words, key };
  const { thing, isThingSure } = plan;
  return { words, thing, isThingSure, absentThing: undefined, total, totalWithEveryWord: total };
}

/**
 * Finds the documents that have all the words. If they are fewer than `enough`, it tries more ways to match a word,
 * then drops words according to the plan.
 */
function* matchWords(
  reader: QueryReader,
  plan: QueryPlan,
  { enough, byRelevance, everyWord }: Demands,
): MatchSteps {
  const { thing, isThingSure } = plan;
  let words = reader.weigh(plan);
  const absent = everyWord ? undefined : plan.findAbsentThing();
  const nothing = { words, thing, isThingSure, total: 0, totalWithEveryWord: 0 };
  const isHopeless = everyWord && plan.words.some(({ as }) => as === "unknown");
  if (isHopeless || absent?.isCertain) {
    yield { kind: "nothing" };
    return { ...nothing, absentThing: absent?.word };
  }
  let total = yield { kind: "all", words, key: undefined };
  if (total === 0 && absent !== undefined) return { ...nothing, absentThing: absent.word };
  const wider = total < enough ? reader.widen(plan) : undefined;
  if (wider !== undefined) {
    words = reader.weigh(wider);
    total = yield { kind: "all", words, key: undefined };
  }
  const totalWithEveryWord = total;
  if (!everyWord && total < enough) {
    const { units, relaxations } = plan.relax();
    for (const relaxation of relaxations.slice(byRelevance ? -2 : 0)) {
      total = yield { kind: "share", words, units, relaxation };
      if (total > 0) break;
    }
  }
  return { words, thing, isThingSure, absentThing: undefined, total, totalWithEveryWord };
}

/** Whether words that are never required still rank the result of the step. */
export function ranksOptional(step: MatchStep): boolean {
  return step.kind === "share" || (step.kind === "all" && step.key === undefined);
}
