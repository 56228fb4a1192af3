import type { JudgedQuery } from "./read-wands.ts";

export interface Judgement {
  readonly queries: number;
  readonly ndcgAt10: number;
  /** The share of the products judged relevant that are among the first 100. */
  readonly recallAt100: number;
  readonly withoutResult: number;
}

export const judgedDepth = 100;
const ndcgDepth = 10;

/** Averages over the queries. Products without a judgement count as irrelevant. */
export function judgeRanking(
  queries: readonly JudgedQuery[],
  rank: (text: string) => readonly string[],
): Judgement {
  const judged = queries.map(({ text, gains }) => {
    const ids = rank(text);
    const found = ids.map((id) => gains.get(id) ?? 0);
    const ideal = [...gains.values()].sort((a, b) => b - a);
    const relevant = ideal.filter((gain) => gain > 0).length;
    return {
      ndcg: discounted(found) / discounted(ideal),
      recall: found.filter((gain) => gain > 0).length / relevant,
      empty: ids.length === 0 ? 1 : 0,
    };
  });
  const mean = (pick: (entry: (typeof judged)[number]) => number) =>
    judged.reduce((sum, entry) => sum + pick(entry), 0) / judged.length;
  return {
    queries: judged.length,
    ndcgAt10: mean(({ ndcg }) => ndcg),
    recallAt100: mean(({ recall }) => recall),
    withoutResult: mean(({ empty }) => empty),
  };
}

function discounted(gains: readonly number[]): number {
  return gains.slice(0, ndcgDepth).reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);
}

/** Queries that can be evaluated: with enough labels and at least one relevant product. */
export function judgeable(queries: readonly JudgedQuery[], labels: number): JudgedQuery[] {
  return queries.filter(({ gains }) => gains.size >= labels && [...gains.values()].some((gain) => gain > 0));
}
