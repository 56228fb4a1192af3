import type { TermStep, TermWay, TermWord } from "@product-search/text-index";

/** A query of OpenSearch's query language. */
export type Clause = Readonly<Record<string, unknown>>;

/** What a step requires of a document, and what gives it points. */
export interface CompiledStep {
  /** All that is required. */
  readonly match: Clause;
  /** The same for a search with points: `must` gives points for what it requires, so that words are read once. */
  readonly scored: {
    readonly filter: readonly Clause[];
    readonly must: readonly Clause[];
    readonly should: readonly Clause[];
  };
}

type WordStep = Extract<TermStep, { kind: "words" }>;

/** If a prefix matches many words, this many give their own points; the others give a typical impact. */
const scoredWays = 32;
const usualImpact = 100;
/** More than all words together. Below it, a score is still a whole number. */
const keyPoints = 2 ** 24;

export function compileStep(step: TermStep): CompiledStep {
  if (step.kind === "everything") return withoutPoints({ match_all: {} });
  if (step.kind === "nothing") return withoutPoints({ match_none: {} });
  if (step.kind === "keyed") return withoutPoints(hasKey(step.key));
  const match = compileMatch(step);
  if (step.key !== undefined) return withKey(match, pointsOfWords(step), step.key);
  if (step.least !== undefined || step.words.every(({ cost }) => cost === 0))
    return { match, scored: { filter: [match], must: [], should: pointsOfWords(step) } };
  const [required, others] = [
    step.words.filter(isRequiredByPoints),
    step.words.filter((word) => !isRequiredByPoints(word)),
  ];
  const filter = others.filter(({ cost }) => cost > 0).map(hasWord);
  return {
    match,
    scored: {
      filter,
      must: required.map((word) => scoreOf(word, false)),
      should: others.map((word) => scoreOf(word, false)),
    },
  };
}

function withoutPoints(match: Clause): CompiledStep {
  return { match, scored: { filter: [match], must: [], should: [] } };
}

/** Products with the key are found as well, before all others. */
function withKey(match: Clause, points: readonly Clause[], key: string): CompiledStep {
  const meant = hasKey(key);
  const either = anyOf([match, meant]);
  const first = { constant_score: { filter: meant, boost: keyPoints } };
  return { match: either, scored: { filter: [either], must: [], should: [...points, first] } };
}

/** A word that is required, and has points in exactly the documents that have it. */
function isRequiredByPoints({ cost, ways }: TermWord): boolean {
  return cost > 0 && ways.length <= scoredWays;
}

/** With names, hits show which words they have. */
export function pointsOfWords({ words, least }: Pick<WordStep, "words" | "least">): Clause[] {
  return words.map((word) => scoreOf(word, least !== undefined));
}

function hasKey(key: string): Clause {
  return { term: { keys: key } };
}

function compileMatch({ words, least, needed }: WordStep): Clause {
  const asked = words.filter(({ cost }) => cost > 0);
  if (least === undefined) return asked.length === 0 ? { match_none: {} } : allOf(asked.map(hasWord));
  const others = asked.filter(({ place }) => place !== needed);
  const enough = anyOf(choices(others, needed === undefined ? Math.max(1, least) : least));
  return allOf([...asked.filter(({ place }) => place === needed).map(hasWord), enough]);
}

/**
 * The combinations of words whose total cost is sufficient: a number of words for each cost. There are few different
 * costs, and combinations that contain another one are left out, so there are rarely more than two.
 */
function choices(words: readonly TermWord[], least: number): Clause[] {
  const groups = [...Map.groupBy(words, ({ cost }) => cost)].sort(([a], [b]) => b - a);
  const counts = countsWorth(
    groups.map(([cost, { length }]) => ({ cost, most: length })),
    least,
  );
  const isNeedless = (one: readonly number[]) =>
    counts.some((other) => other !== one && other.every((count, i) => count <= (one[i] ?? 0)));
  return counts
    .filter((one) => !isNeedless(one))
    .map((one) => allOf(one.flatMap((count, i) => someOf(groups[i]?.[1] ?? [], count))));
}

/**
 * All sufficient combinations with at most this many words of each cost, and no more than necessary of the last one.
 */
function countsWorth(groups: ReadonlyArray<{ cost: number; most: number }>, least: number): number[][] {
  const [first, ...others] = groups;
  if (first === undefined) return least <= 0 ? [[]] : [];
  if (others.length === 0) {
    const count = Math.max(0, Math.ceil(least / first.cost));
    return count <= first.most ? [[count]] : [];
  }
  const found: number[][] = [];
  for (let count = 0; count <= first.most; count++)
    for (const rest of countsWorth(others, least - count * first.cost)) found.push([count, ...rest]);
  return found;
}

function someOf(words: readonly TermWord[], count: number): Clause[] {
  if (count === 0) return [];
  if (count === words.length) return words.map(hasWord);
  return [{ bool: { should: words.map(hasWord), minimum_should_match: count } }];
}

/** Whether a document has the word in any way. */
function hasWord({ ways }: TermWord): Clause {
  const single = ways.filter(({ terms }) => terms.length === 1).flatMap(({ terms }) => terms);
  const several = ways.filter(({ terms }) => terms.length > 1);
  const clauses = several.map(({ terms }) => allOf(terms.map((term) => hasAnyTerm([term]))));
  return anyOf(single.length === 0 ? clauses : [hasAnyTerm(single), ...clauses]);
}

/** OpenSearch accepts 65,536 terms. The ways to match a word are fewer: its longer words are at most 10,000. */
export function hasAnyTerm(terms: readonly string[]): Clause {
  return { terms: { terms } };
}

/**
 * The points of a document for a word, by the best way to match it. With a name, hits show whether they have the
 * word.
 */
function scoreOf({ place, ways, weight }: TermWord, isNamed: boolean): Clause {
  const rest = ways.slice(scoredWays);
  const queries = ways.slice(0, scoredWays).map((way) => pointsOf(way, weight));
  if (rest.length > 0) {
    const filter = hasAnyTerm(rest.flatMap(({ terms }) => terms));
    queries.push({
      constant_score: { filter, boost: Math.round(weight * usualImpact * (rest[0]?.weight ?? 1)) },
    });
  }
  return { dis_max: { queries, ...(isNamed && { _name: nameOf(place) }) } };
}

export function nameOf(place: number): string {
  return `word ${place}`;
}

/** For several terms the mean counts, but the minimum in the embedded index: OpenSearch has no minimum. */
function pointsOf({ terms, weight: share }: TermWay, weight: number): Clause {
  const boost = (weight * share) / terms.length;
  const clauses = terms.map((value) => ({ term: { terms: { value, boost } } }));
  const [only, second] = clauses;
  return only !== undefined && second === undefined ? only : { bool: { must: clauses } };
}

export function allOf(clauses: readonly Clause[]): Clause {
  const [only, second] = clauses;
  if (only === undefined) return { match_all: {} };
  return second === undefined ? only : { bool: { filter: clauses } };
}

export function anyOf(clauses: readonly Clause[]): Clause {
  const [only, second] = clauses;
  if (only === undefined) return { match_none: {} };
  return second === undefined ? only : { bool: { should: clauses, minimum_should_match: 1 } };
}
