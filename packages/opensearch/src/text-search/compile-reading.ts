import type { TermQuestion, TermReading, TermWay, TermWord } from "@product-search/text-index";

/** A query of OpenSearch's query language. */
export type Clause = Readonly<Record<string, unknown>>;

/** What a reading requires of a document, and what gives it points. */
export interface CompiledReading {
  /** All that is required. */
  readonly match: Clause;
  /** The same for a search with points: `must` gives points for what it requires, so that words are read once. */
  readonly scored: {
    readonly filter: readonly Clause[];
    readonly must: readonly Clause[];
    readonly should: readonly Clause[];
  };
}

/** If a prefix matches many words, this many give their own points; the others give a typical impact. */
const scoredWays = 32;
const usualImpact = 100;
/** More than all words together. Below it, a score is still a whole number. */
const keyPoints = 2 ** 24;

export function compileReading({
  finds,
  words,
  key,
}: Pick<TermReading, "finds" | "words" | "key">): CompiledReading {
  if (finds === "everything") return withoutPoints({ match_all: {} });
  if (finds === "nothing") return withoutPoints({ match_none: {} });
  const match = hasAllWords(words);
  if (key !== undefined) return withKey(match, words.map(scoreOf), key);
  const [required, others] = [
    words.filter(isRequiredByPoints),
    words.filter((word) => !isRequiredByPoints(word)),
  ];
  return {
    match,
    scored: {
      filter: others.filter(({ isRequired }) => isRequired).map(hasWord),
      must: required.map(scoreOf),
      should: others.map(scoreOf),
    },
  };
}

/** What a question of the reading asks for. */
export function compileQuestion(question: TermQuestion): Clause {
  return question.kind === "key" ? hasKey(question.key) : hasAllWords(question.words);
}

function withoutPoints(match: Clause): CompiledReading {
  return { match, scored: { filter: [match], must: [], should: [] } };
}

/** Products with the key are found as well, before all others. */
function withKey(match: Clause, points: readonly Clause[], key: string): CompiledReading {
  const meant = hasKey(key);
  const either = anyOf([match, meant]);
  const first = { constant_score: { filter: meant, boost: keyPoints } };
  return { match: either, scored: { filter: [either], must: [], should: [...points, first] } };
}

/** A word that is required, and has points in exactly the documents that have it. */
function isRequiredByPoints({ isRequired, ways }: TermWord): boolean {
  return isRequired && ways.length <= scoredWays;
}

function hasKey(key: string): Clause {
  return { term: { keys: key } };
}

function hasAllWords(words: readonly TermWord[]): Clause {
  const required = words.filter(({ isRequired }) => isRequired);
  return required.length === 0 ? { match_none: {} } : allOf(required.map(hasWord));
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

/** The points of a document for a word, by the best way to match it. */
export function scoreOf({ ways, weight }: TermWord): Clause {
  const single = ways.filter(({ terms }) => terms.length === 1);
  if (single.every(({ weight: share }) => share === 1))
    return { dis_max: { queries: pointsOfWays(ways, weight) } };
  // The points of a way are rounded before the weight multiplies them, as in the embedded index. Boosts would be multiplied first.
  const query = { dis_max: { queries: pointsOfWays(single, 1) } };
  const shared = { function_score: { query, functions: [{ weight }], boost_mode: "multiply" } };
  const several = ways.filter(({ terms }) => terms.length > 1);
  return { dis_max: { queries: [shared, ...pointsOfWays(several, weight)] } };
}

function pointsOfWays(ways: readonly TermWay[], weight: number): Clause[] {
  const rest = ways.slice(scoredWays);
  const queries = ways.slice(0, scoredWays).map((way) => pointsOf(way, weight));
  if (rest.length === 0) return queries;
  const filter = hasAnyTerm(rest.flatMap(({ terms }) => terms));
  const boost = Math.round(weight * usualImpact * (rest[0]?.weight ?? 1));
  return [...queries, { constant_score: { filter, boost } }];
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
