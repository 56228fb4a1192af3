import { numberColumn, unknownLast } from "../facets/attribute-numbers.ts";
import { numericAttribute } from "../facets/numeric-attributes.ts";
import { precedes } from "../segment/document-order.ts";
import { isNumberColumn, type NumberColumn } from "../segment/index-document.ts";
import { gallop } from "../segment/postings.ts";
import type { Segment } from "../segment/segment.ts";
import { checkTime } from "../time-limit.ts";
import { settle } from "./matches/matches.ts";
import { createNameBonus, type RankedQuery } from "./name-bonus.ts";
import {
  attributeOfSort,
  defaultOrder,
  isNumberSort,
  type NamedSort,
  type SearchQuery,
  type SortKey,
} from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { selectBest, sortPart } from "./select-best.ts";
import { factorIn, isInSet, type LastDocuments, lastStep, type TopHits } from "./top-hits.ts";
import type { WeighedWord } from "./weigh-words.ts";

/** This many of the best hits by words alone are ranked again by their names. */
export const rerankedHits = 128;

export interface RankedHits {
  readonly ids: number[];
  readonly scores: number[];
}

/** For each document of one reader, ascending, the factor of its score. */
export interface ScoreFactors {
  readonly docs: Uint32Array;
  readonly factors: Float64Array;
}

/** One factor for the documents of a set, 1 or more. */
export interface SetFactor {
  readonly bits: Uint8Array;
  readonly factor: number;
}

/** How the scores of one reader's documents are multiplied: a factor each, one for a set, or those of several sets. */
export type Factors = ScoreFactors | SetFactor | readonly SetFactor[] | undefined;

/** Scores with factors are rounded to a thousandth, so that every engine has the same ties. */
export function roundScore(score: number): number {
  return Math.round(score * 1000) / 1000;
}

/** The page of a query, from the matches in the readers' scratch space. */
export function rankHits(
  readers: readonly SegmentReader[],
  query: SearchQuery,
  words: readonly WeighedWord[],
  thing: number,
  factors?: readonly Factors[],
): RankedHits {
  const { text, offset, limit } = query;
  const ranking = rankingOf(query);
  const reranked = rerankedCount(ranking, words);
  const size = Math.max(reranked, offset + limit);
  const hits = new Hits(readers, size, ranking, factors);
  hits.addNameBonus(reranked, { text, words, thing });
  const page = hits.page(offset, offset + limit, reranked);
  return {
    ids: page.map((hit) => readers[hits.reader[hit] ?? 0]?.segment.sections.ids[hits.doc[hit] ?? 0] ?? 0),
    scores: page.map((hit) => hits.scoreOf(hit, ranking.sort)),
  };
}

/** How many hits are ranked again. */
export function rerankedCount(
  { sort, order }: Pick<SearchQuery, "sort" | "order">,
  words: readonly WeighedWord[],
): number {
  return sort === "relevance" && order === "desc" && words.length > 0 ? rerankedHits : 0;
}

const createArrays = (length: number) => ({
  order: new Uint32Array(length),
  primary: new Float64Array(length),
  secondary: new Int32Array(length),
  doc: new Uint32Array(length),
  reader: new Uint8Array(length),
});

/** Used again by each search of this thread: a search is synchronous, and new arrays cost more than ranking a page. */
let arrays = createArrays(1024);

/** The best hits of all segments in plain arrays: deep pages have thousands of them. */
export class Hits {
  readonly #readers: readonly SegmentReader[];
  readonly #order: Uint32Array;
  readonly #count: number;
  readonly primary: Float64Array;
  readonly secondary: Int32Array;
  readonly doc: Uint32Array;
  readonly reader: Uint8Array;

  readonly #factors: readonly Factors[] | undefined;

  constructor(
    readers: readonly SegmentReader[],
    limit: number,
    ranking: Ranking,
    factors?: readonly Factors[],
  ) {
    checkTime();
    this.#readers = readers;
    this.#factors = factors;
    const { columns, scoreWeight } = rankedColumn(readers, ranking);
    const tops = readers.map((reader, i) => {
      const column = columns?.[i];
      return topOf(reader, limit, ranking, column && { column, scoreWeight }, factors?.[i]);
    });
    const count = tops.reduce((sum, top) => sum + top.count, 0);
    if (count > arrays.order.length) arrays = createArrays(count);
    this.primary = arrays.primary;
    this.secondary = arrays.secondary;
    this.doc = arrays.doc;
    this.reader = arrays.reader;
    this.#order = arrays.order;
    this.#count = count;
    let at = 0;
    tops.forEach((top, reader) => {
      // Most have few hits, for which views of the arrays take longer than a loop.
      for (let i = 0; i < top.count; i++, at++) {
        this.#order[at] = at;
        this.primary[at] = top.primary[i] ?? 0;
        this.secondary[at] = top.secondary[i] ?? 0;
        this.doc[at] = top.docs[i] ?? 0;
        this.reader[at] = reader;
      }
    });
  }

  /**
   * Moves the best `reranked` to the front and adds the bonus of their names. The order of the others is then final.
   */
  addNameBonus(reranked: number, query: RankedQuery): void {
    if (reranked === 0) return;
    selectBest(this.#order, 0, this.#count, reranked, this.#compare);
    const bonuses = this.#readers.map((reader) => createNameBonus(reader, query));
    for (let i = 0; i < Math.min(reranked, this.#count); i++) {
      const hit = this.#order[i] ?? 0;
      const bonus = bonuses[this.reader[hit] ?? 0];
      if (bonus !== undefined) this.#add(hit, bonus(this.doc[hit] ?? 0));
    }
  }

  #add(hit: number, bonus: number): void {
    const score = this.primary[hit] ?? 0;
    const factors = this.#factors?.[this.reader[hit] ?? 0];
    this.primary[hit] =
      this.#factors === undefined
        ? score + bonus
        : roundScore(score + bonus * (factors === undefined ? 1 : factorOf(factors, this.doc[hit] ?? 0)));
  }

  /** The hits from position `from` to `to`, in order. */
  page(from: number, to: number, reranked: number): number[] {
    const border = Math.min(reranked, this.#count);
    const hits: number[] = [];
    this.#pushPart(hits, 0, border, from, to);
    this.#pushPart(hits, border, this.#count, from, to);
    return hits;
  }

  /** Copies, which later searches do not change. */
  hitsOf(page: readonly number[], sort: SortKey): Array<{ reader: number; doc: number; score: number }> {
    return page.map((hit) => ({
      reader: this.reader[hit] ?? 0,
      doc: this.doc[hit] ?? 0,
      score: this.scoreOf(hit, sort),
    }));
  }

  scoreOf(hit: number, sort: SortKey): number {
    if (sort !== "relevance") return Math.abs(this.secondary[hit] ?? 0);
    const primary = this.primary[hit] ?? 0;
    return Math.abs(primary < -lastStep / 2 ? primary + lastStep : primary);
  }

  /** Adds the part of the range [low, high) that is on the page, sorted, without sorting the rest. */
  #pushPart(hits: number[], low: number, high: number, from: number, to: number): void {
    const start = Math.max(low, from);
    const end = Math.min(high, to);
    if (start >= end) return;
    selectBest(this.#order, low, high, start, this.#compare);
    selectBest(this.#order, start, high, end, this.#compare);
    sortPart(this.#order, start, end, this.#compare);
    for (let i = start; i < end; i++) hits.push(this.#order[i] ?? 0);
  }

  #compare = (a: number, b: number): number => {
    const primary = (this.primary[b] ?? 0) - (this.primary[a] ?? 0);
    if (primary !== 0) return primary;
    const secondary = (this.secondary[b] ?? 0) - (this.secondary[a] ?? 0);
    if (secondary !== 0) return secondary;
    const docA = this.doc[a] ?? 0;
    const docB = this.doc[b] ?? 0;
    const readerA = this.#readers[this.reader[a] ?? 0];
    const readerB = this.#readers[this.reader[b] ?? 0];
    if (readerA === readerB || readerA === undefined || readerB === undefined) return docA - docB;
    return precedes(readerA.segment, docA, readerB.segment, docB) ? -1 : 1;
  };
}

function factorOf(set: NonNullable<Factors>, doc: number): number {
  if (isSets(set)) return factorIn(set, doc);
  if ("bits" in set) return isInSet(set.bits, doc) ? set.factor : 1;
  const { docs, factors } = set;
  return factors[gallop(docs, 0, docs.length, doc)] ?? 1;
}

function isSets(factors: Factors): factors is readonly SetFactor[] {
  return Array.isArray(factors);
}

/** The column of each sort, and whether relevance orders equal values before quality does. */
const columns = {
  price: { column: "prices", scoreWeight: 0 },
  "price:relevance": { column: "prices", scoreWeight: 1 },
  rating: { column: "ratings", scoreWeight: 1 },
  discount: { column: "discounts", scoreWeight: 1 },
  popularity: { column: "qualities", scoreWeight: 0 },
} as const satisfies Record<Exclude<NamedSort, "relevance" | NumberColumn>, object>;

/** By reader, the column that orders the hits before relevance does; undefined if relevance alone does. */
export function rankedColumn(
  readers: readonly SegmentReader[],
  { sort, order, source }: Ranking,
): { columns: ReadonlyArray<Float32Array | Float64Array> | undefined; scoreWeight: 0 | 1 } {
  if (sort === "relevance") return { columns: undefined, scoreWeight: 0 };
  if (isNumberSort(sort)) {
    const numeric = numericAttribute(readers, attributeOfSort(sort), source);
    return { columns: readers.map(({ segment }) => numberColumn(segment, numeric, order)), scoreWeight: 1 };
  }
  if (isNumberColumn(sort))
    return { columns: readers.map(({ segment }) => unknownLast(segment, sort, order)), scoreWeight: 1 };
  const { column, scoreWeight } = columns[sort];
  return { columns: readers.map(({ segment }) => segment.sections[column]), scoreWeight };
}

export interface Ranking {
  readonly sort: SortKey;
  readonly order: "asc" | "desc";
  /** By whose products it is decided whether an attribute is numeric. */
  readonly source?: number | undefined;
  /** The availability of documents that come after all others. */
  readonly last?: number | undefined;
}

export function rankingOf({
  sort = "relevance",
  order = defaultOrder(sort),
  filters,
  lastAvailability,
}: SearchQuery): Ranking {
  return { sort, order, source: filters?.source, last: sort === "relevance" ? lastAvailability : undefined };
}

const codesOf = new WeakMap<Segment, ReadonlySet<number>>();

/** The documents of a segment that come last; undefined if it has none. */
export function lastDocuments(
  { segment }: SegmentReader,
  { last }: Pick<Ranking, "last">,
): LastDocuments | undefined {
  if (last === undefined) return undefined;
  const { availabilities } = segment.sections;
  const codes = codesOf.get(segment) ?? new Set(availabilities);
  codesOf.set(segment, codes);
  return codes.has(last) ? { codes: availabilities, code: last } : undefined;
}

interface RankedColumn {
  readonly column: Float32Array | Float64Array;
  readonly scoreWeight: 0 | 1;
}

function topOf(
  reader: SegmentReader,
  limit: number,
  { order, last: lastCode }: Ranking,
  ranked: RankedColumn | undefined,
  factors: Factors,
): TopHits {
  const last = lastDocuments(reader, { last: lastCode });
  const { matches, top } = reader.state;
  top.start(limit, matches.count);
  const sign = order === "asc" ? -1 : 1;
  const { deferred } = matches;
  if (ranked !== undefined) {
    // A column can be read for a list that was not copied, but it does not show which documents are deleted.
    if (deferred?.deletions !== undefined) settle(matches);
    top.offerColumn(matches, ranked.column, sign, ranked.scoreWeight);
  } else if (isSets(factors)) top.offerWithSets(matches, factors, last);
  else if (factors !== undefined && "docs" in factors)
    top.offerFactored(matches, sign, factors.factors, last);
  else if (last !== undefined && order === "desc") top.offerWithSets(matches, factors ? [factors] : [], last);
  else if (deferred !== undefined && order === "desc") top.offerDeferred(deferred);
  else {
    settle(matches);
    top.offerScores(matches, sign, last);
  }
  top.finish();
  if (factors !== undefined && last === undefined && !isSets(factors) && "bits" in factors)
    top.raise(matches, factors);
  return top;
}
