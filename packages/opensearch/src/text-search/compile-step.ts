import type { TermShare, TermStep, TermWay, TermWord } from "@product-search/text-index";

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
  if (step.key !== undefined) return withKey(match, pointsOfWords(step, false), step.key);
  if (step.share !== undefined)
    return {
      match,
      scored: {
        filter: [match],
        must: [],
        should: [...pointsOfWords(step, true), ...pointsOfShare(step.words, step.share)],
      },
    };
  if (step.words.every(({ cost }) => cost === 0))
    return { match, scored: { filter: [match], must: [], should: pointsOfWords(step, false) } };
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
export function pointsOfWords({ words }: Pick<WordStep, "words">, areNamed: boolean): Clause[] {
  return words.map((word) => scoreOf(word, areNamed));
}

/** The points of a document for its units, and for having all of them. */
function pointsOfShare(
  words: readonly TermWord[],
  { units, costPoints, fullMatchPoints }: TermShare,
): Clause[] {
  const clauses = units.map((unit) => hasUnit(words, unit));
  const points = units.map(({ cost }, i) => constantPoints(clauses[i] ?? {}, cost * costPoints));
  return [...points, constantPoints(allOf(clauses), fullMatchPoints)];
}

function constantPoints(filter: Clause, boost: number): Clause {
  return { constant_score: { filter, boost } };
}

function hasKey(key: string): Clause {
  return { term: { keys: key } };
}

function compileMatch({ words, share }: WordStep): Clause {
  const required = words.filter(({ cost }) => cost > 0);
  if (share === undefined) return required.length === 0 ? { match_none: {} } : allOf(required.map(hasWord));
  const units = share.units.map((unit) => ({ ...unit, clause: hasUnit(words, unit) }));
  const enough = anyOf(choices(units, Math.max(1, share.least)));
  const naming = units.filter(({ isNaming }) => isNaming).map(({ clause }) => clause);
  return share.needsNaming && naming.length > 0 ? allOf([anyOf(naming), enough]) : enough;
}

function hasUnit(words: readonly TermWord[], { places }: TermShare["units"][number]): Clause {
  return allOf(words.filter(({ place }) => places.includes(place)).map(hasWord));
}

interface UnitClause {
  readonly cost: number;
  readonly clause: Clause;
}

/** A document that lacks no word. */
export function hasEveryUnit(step: TermStep): Clause {
  const units = step.kind === "words" ? (step.share?.units ?? []) : [];
  return allOf(units.map((unit) => hasUnit(step.kind === "words" ? step.words : [], unit)));
}

/**
 * The combinations of units whose total cost is sufficient: a number of units for each cost. There are few different
 * costs, and combinations that contain another one are left out, so there are rarely more than two.
 */
function choices(units: readonly UnitClause[], least: number): Clause[] {
  const groups = [...Map.groupBy(units, ({ cost }) => cost)].sort(([a], [b]) => b - a);
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
 * All sufficient combinations with at most this many units of each cost, and no more than necessary of the last one.
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

function someOf(units: readonly UnitClause[], count: number): Clause[] {
  const clauses = units.map(({ clause }) => clause);
  if (count === 0) return [];
  if (count === clauses.length) return clauses;
  return [{ bool: { should: clauses, minimum_should_match: count } }];
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
  const name = isNamed ? { _name: nameOf(place) } : {};
  const single = ways.filter(({ terms }) => terms.length === 1);
  if (single.every(({ weight: share }) => share === 1))
    return { dis_max: { queries: pointsOfWays(ways, weight), ...name } };
  // The points of a way are rounded before the weight multiplies them, as in the embedded index. Boosts would be multiplied first.
  const query = { dis_max: { queries: pointsOfWays(single, 1) } };
  const shared = { function_score: { query, functions: [{ weight }], boost_mode: "multiply" } };
  const several = ways.filter(({ terms }) => terms.length > 1);
  return { dis_max: { queries: [shared, ...pointsOfWays(several, weight)], ...name } };
}

function pointsOfWays(ways: readonly TermWay[], weight: number): Clause[] {
  const rest = ways.slice(scoredWays);
  const queries = ways.slice(0, scoredWays).map((way) => pointsOf(way, weight));
  if (rest.length === 0) return queries;
  const filter = hasAnyTerm(rest.flatMap(({ terms }) => terms));
  const boost = Math.round(weight * usualImpact * (rest[0]?.weight ?? 1));
  return [...queries, { constant_score: { filter, boost } }];
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
