import {
  boundedNumbers,
  type FilterKey,
  filterKeys,
  type KindFilter,
  kindPoints,
  measureRanges,
  nameKey,
  numberRanges,
  type SearchFilters,
  type TermQuestion,
  type TermReading,
  type TermWay,
  type TermWord,
} from "@product-search/text-index";

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

export interface CompiledFilters {
  /** Every match passes these. */
  readonly common: readonly Clause[];
  /** Filters that are ignored when the facet of the same kind is counted. */
  readonly own: ReadonlyMap<FilterKey, Clause>;
  /** What ranks products besides their words. */
  readonly nearness: readonly Clause[];
}

/** For each word of a text, the terms of which a document must have one. */
type TermsOfText = (text: string) => readonly (readonly string[])[];

/** `apart` are the facets that are counted without their own filter. */
export function compileFilters(
  filters: SearchFilters,
  apart: readonly FilterKey[],
  termsOf: TermsOfText,
): CompiledFilters {
  const byKind: ReadonlyArray<readonly [FilterKey, readonly Clause[]]> = [
    ["brands", namesFilter("brandKey", filters.brands)],
    ["stores", namesFilter("storeKey", filters.stores)],
    ...boundedNumbers(filters).map(({ of, least, most }): readonly [FilterKey, readonly Clause[]] => [
      of === "priceMinor" ? "price" : of === "rating" ? "rating" : "not",
      [rangeFilter(of, least, most)],
    ]),
    ["availability", availabilityFilter(filters)],
    ...filterKeys(filters).map(({ kind, keys }): readonly [FilterKey, readonly Clause[]] => [
      kind,
      [tagFilter(kind, keys, filters)],
    ]),
    ...numberRanges(filters).map(({ kind, ranges }): readonly [FilterKey, readonly Clause[]] => [
      kind,
      [anyNumber(ranges)],
    ]),
    [
      "measures",
      measureRanges(filters).flatMap(({ inside, outside }) => [anyNumber(inside), not(anyNumber(outside))]),
    ],
    [
      "not",
      [...namesFilter("brandKey", filters.notBrands), ...namesFilter("storeKey", filters.notStores)].map(not),
    ],
  ];
  const common = otherFilters(filters, termsOf);
  const own = new Map<FilterKey, Clause>();
  for (const [kind, clauses] of byKind) {
    const [clause] = clauses;
    const known = own.get(kind);
    // A value and a range of one attribute are one filter of its own.
    if (clause !== undefined && apart.includes(kind))
      own.set(kind, known === undefined ? clause : allOf([known, clause]));
    else common.push(...clauses);
  }
  return { common, own, nearness: nearnessOf(filters, termsOf) };
}

function anyNumber(ranges: ReadonlyArray<{ from: string; to: string }>): Clause {
  return anyOf(ranges.map(({ from, to }) => ({ range: { numbers: { gte: from, lte: to } } })));
}

/** The points of products for how near their kind is; none with only one kind. */
function nearnessOf({ kinds = [] }: SearchFilters, termsOf: TermsOfText): Clause[] {
  if (kinds.length < 2) return [];
  const queries = kinds.map((kind, i) => ({
    constant_score: {
      filter: ofKind(kind, (text) => hasAll(termsOf(text))),
      boost: (kinds.length - i) * kindPoints,
    },
  }));
  return [{ dis_max: { queries } }];
}

function otherFilters(
  { source, withWords: require = [], withoutWords: exclude = [], kinds, always }: SearchFilters,
  termsOf: TermsOfText,
): Clause[] {
  const hasWords = (text: string) => hasAll(termsOf(text));
  return [
    sourceFilter(source),
    ...require.map((group) => anyOf(group.map(hasWords))),
    ...(kinds === undefined ? [] : [anyOf(kinds.map((kind) => ofKind(kind, hasWords)))]),
    ...exclude.map((text) => not(hasWords(text))),
    ...(always === undefined ? [] : compileFilters(always, [], termsOf).common),
  ];
}

/** Documents of groups have no source. */
export function sourceFilter(source: number | undefined): Clause {
  return source === undefined ? { exists: { field: "source" } } : { term: { source } };
}

function ofKind({ category, words }: KindFilter, hasWords: (text: string) => Clause): Clause {
  const ofCategory = category === "" ? [] : namesFilter("categoryKey", [category]);
  return words === "" && ofCategory.length > 0 ? allOf(ofCategory) : allOf([...ofCategory, hasWords(words)]);
}

function availabilityFilter({ availability }: SearchFilters): Clause[] {
  return availability === undefined ? [] : [{ terms: { availability } }];
}

/** For the keys of a kind that `filterKeys` returns. */
export function tagFilter(kind: FilterKey, keys: readonly string[], { categories }: SearchFilters): Clause {
  if (kind === "not") return not({ terms: { tagKeys: keys } });
  return kind === "categories" ? categoryFilter(keys, categories) : { terms: { tagKeys: keys } };
}

function not(clause: Clause): Clause {
  return { bool: { must_not: [clause] } };
}

/** Indexes of the release before have no keys of levels: there a category is only the last name of the first path. */
function categoryFilter(keys: readonly string[], names: readonly string[] = []): Clause {
  return anyOf([{ terms: { tagKeys: keys } }, ...namesFilter("categoryKey", names)]);
}

export function namesFilter(field: string, names: readonly string[] | undefined): Clause[] {
  return names === undefined ? [] : [{ terms: { [field]: names.map(nameKey) } }];
}

function rangeFilter(field: string, least: number, most: number): Clause {
  const bounds = {
    ...(Number.isFinite(least) && { gte: least }),
    ...(Number.isFinite(most) && { lte: most }),
  };
  return { range: { [field]: bounds } };
}

/** All the words of a text; a text without words matches no document. */
function hasAll(words: readonly (readonly string[])[]): Clause {
  return words.length === 0 ? { match_none: {} } : allOf(words.map(hasAnyTerm));
}
