import { numberColumn, unknownLast } from "../facets/attribute-numbers.ts";
import { numericAttribute } from "../facets/numeric-attributes.ts";
import type { Alternative, PlannedWord } from "../query/query-plan.ts";
import type { Reading } from "../query/reading.ts";
import { firstPartWeight } from "../query/spell.ts";
import { gallop, type Postings, postingCount } from "../segment/postings.ts";
import { compareDocuments, type Segment } from "../segment/segment.ts";
import {
  type Column,
  isNumberColumn,
  type NumberColumn,
  pricesOf,
  type Sections,
} from "../segment/segment-layout.ts";
import { tokenize } from "../text/tokenize.ts";
import { checkTime } from "../time-limit.ts";
import { settle } from "./matches.ts";
import {
  attributeOfSort,
  defaultOrder,
  isNumberSort,
  type NamedSort,
  type SearchQuery,
  type SortKey,
} from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";
import {
  factorIn,
  isInSet,
  type LastDocuments,
  lastStep,
  selectBest,
  sortPart,
  type TopHits,
} from "./top-hits.ts";

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
    return compareDocuments(readerA.segment, docA, readerB.segment, docB);
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
  price: { of: pricesOf, scoreWeight: 0 },
  "price:relevance": { of: pricesOf, scoreWeight: 1 },
  rating: { of: ({ ratings }: Sections) => ratings, scoreWeight: 1 },
  discount: { of: ({ discounts }: Sections) => discounts, scoreWeight: 1 },
  popularity: { of: ({ qualities }: Sections) => qualities, scoreWeight: 0 },
} as const satisfies Record<Exclude<NamedSort, "relevance" | NumberColumn>, object>;

/** By reader, the column that orders the hits before relevance does; undefined if relevance alone does. */
export function rankedColumn(
  readers: readonly SegmentReader[],
  { sort, order, source }: Ranking,
): { columns: readonly Column[] | undefined; scoreWeight: 0 | 1 } {
  if (sort === "relevance") return { columns: undefined, scoreWeight: 0 };
  if (isNumberSort(sort)) {
    const numeric = numericAttribute(readers, attributeOfSort(sort), source);
    return { columns: readers.map(({ segment }) => numberColumn(segment, numeric, order)), scoreWeight: 1 };
  }
  if (isNumberColumn(sort))
    return { columns: readers.map(({ segment }) => unknownLast(segment, sort, order)), scoreWeight: 1 };
  const { of, scoreWeight } = columns[sort];
  return { columns: readers.map(({ segment }) => of(segment.sections)), scoreWeight };
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
  readonly column: Column;
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
  else if (last !== undefined && deferred !== undefined && factors === undefined && order === "desc")
    top.offerWithLast(matches, deferred, last);
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

// Shares of a word's rarity. Measured on judged queries;
/** Two adjacent words of the query that are also adjacent in the name. */
const neighbourShare = 0.4;
/** The same form of the word, not only its stem. */
const sameFormShare = 0.3;
/** The thing in the query is the thing in the name: "desk lamp" in "Brass Desk Lamp with Dimmer". */
const sameThingShare = 0.2;

/** The whole name, in the order of its words. More than the points above can be; less than those of a full match. */
const sameNamePoints = 1 << 21;

const partMask = 7;

/** What the name of a document adds to its score. */
export type NameBonus = (doc: number) => number;

/** The query by whose words names are ranked. */
export interface RankedQuery {
  readonly text: string;
  readonly words: readonly WeighedWord[];
  /** The index of the word for the thing. */
  readonly thing: number;
}

/** Computes the bonus of names from the order and forms of their words, in one pass over a name. */
export function createNameBonus(reader: SegmentReader, { text, words, thing }: RankedQuery): NameBonus {
  const title = tokenize(text).map((word) => reader.idsOfWord(word));
  // For each term of the segment, the positions in the query that it matches, as bits (there are at most 32 words).
  const placesOf = new Map<number, number>();
  const forms = new Map<number, number>();
  // Most words of a name are not in the query. A small table of the terms' last bits excludes nearly all of them. As an array
  // of numbers it is made faster than as a typed one.
  const lastBits = [0, 0, 0, 0, 0, 0, 0, 0];
  words.forEach(({ alternatives, used }, place) => {
    for (const term of reader.termsOf(alternatives)) {
      placesOf.set(term, (placesOf.get(term) ?? 0) | (1 << place));
      const part = (term >>> 5) & partMask;
      lastBits[part] = (lastBits[part] ?? 0) | (1 << (term & 31));
    }
    for (const id of reader.idsOfWord(used[0] ?? "")) forms.set(id, place);
  });
  const things = thingTerms(reader, words[thing]);
  const neighbourPoints = words.map(
    ({ rarity }, i) => neighbourShare * maxPoints * Math.min(rarity, words[i + 1]?.rarity ?? 0),
  );
  const formPoints = words.map(({ rarity }) => sameFormShare * maxPoints * rarity);
  const thingPoints = sameThingShare * maxPoints * meanRarityOf(words);
  const { nameOffsets, nameWords, nameHeads, wordTerms } = reader.segment.sections;
  return (doc) => {
    const start = nameOffsets[doc] ?? 0;
    const end = nameOffsets[doc + 1] ?? 0;
    const headAt = start + (nameHeads[doc] ?? 0) - 1;
    let neighbours = 0;
    let sameForms = 0;
    let previous = 0;
    let bonus = 0;
    for (let at = start; at < end; at++) {
      const word = nameWords[at] ?? 0;
      const term = wordTerms[word] ?? 0;
      const mayMatch = (lastBits[(term >>> 5) & partMask] ?? 0) & (1 << (term & 31));
      const places = mayMatch === 0 ? 0 : (placesOf.get(term) ?? 0);
      if (places !== 0) {
        neighbours |= previous & (places >>> 1);
        const place = forms.get(word);
        if (place !== undefined) sameForms |= 1 << place;
        if (at === headAt && (things === undefined ? (places >>> thing) & 1 : things.has(term)))
          bonus += thingPoints;
      }
      previous = places;
    }
    if (end - start === title.length && title.every((ids, i) => ids.includes(nameWords[start + i] ?? 0)))
      bonus += sameNamePoints;
    return Math.round(bonus + sumOver(neighbours, neighbourPoints) + sumOver(sameForms, formPoints));
  };
}

/**
 * The terms of documents that are the thing: "Schreibtischlampe" for lamp, but not for desk. Undefined if all terms of the
 * word are.
 */
function thingTerms(reader: SegmentReader, word: WeighedWord | undefined): ReadonlySet<number> | undefined {
  const alternatives = word?.alternatives ?? [];
  const isThing = ({ weight }: Alternative) => weight > firstPartWeight;
  if (alternatives.length > 0 && alternatives.every(isThing)) return undefined;
  return reader.termsOf(alternatives.filter(isThing));
}

function sumOver(places: number, points: readonly number[]): number {
  let sum = 0;
  for (let place = 0, left = places; left !== 0; place++, left >>>= 1)
    if ((left & 1) === 1) sum += points[place] ?? 0;
  return sum;
}

/** A word of the query with its postings in each segment and its weight. */
export interface WeighedWord extends PlannedWord {
  readonly lists: readonly Postings[];
  readonly documents: number;
  /** The logarithm of its rarity. */
  readonly rarity: number;
  /** The points for one unit of impact. */
  readonly weight: number;
}

/** A reading with what ranks its documents. */
export interface WeighedReading extends Reading {
  readonly words: readonly WeighedWord[];
}

/**
 * Points for one unit of rarity at full impact. Scores are integers: their sums are exact and the same in any order.
 */
const maxPoints = 16 * 255;
// Every match counts a little, however common the word is.
const presencePoints = 2;
// The last word of a query usually names the thing ("table lamp"); the others only describe it.
const headShare = 0.1;

export function weighReading(readers: readonly SegmentReader[], reading: Reading): WeighedReading {
  const all = readers.reduce((sum, reader) => sum + reader.segment.documents, 0);
  const counted = listWords(readers, reading.words).map((word) => ({
    ...word,
    rarity: Math.log(1 + (all - word.documents + 0.5) / (word.documents + 0.5)),
  }));
  const meanRarity = meanRarityOf(counted);
  const words = counted.map((word, i) => {
    const extra = i === reading.thing ? headShare * meanRarity : 0;
    const weight = Math.max(1, Math.round((maxPoints / 255) * (word.rarity + presencePoints + extra)));
    return { ...word, weight };
  });
  return { ...reading, words };
}

/** The words with the documents that have them. */
export function listWords(readers: readonly SegmentReader[], words: readonly PlannedWord[]) {
  return words.map((word) => {
    const lists = readers.map((reader) => reader.postingsOf(word.alternatives));
    return { ...word, lists, documents: lists.reduce((sum, list) => sum + postingCount(list), 0) };
  });
}

function meanRarityOf(words: ReadonlyArray<{ readonly rarity: number }>): number {
  return words.reduce((sum, { rarity }) => sum + rarity, 0) / Math.max(1, words.length);
}

/** With so many matches, or as many as related ones are wanted, nothing related is needed after them. */
const enoughMatches = 20;

/** Whether documents with some of the words are looked for. One word alone has none. */
export function needsRelated(limit: number, { words }: Reading, total: number): boolean {
  if (limit === 0 || total >= Math.max(limit, enoughMatches)) return false;
  const known = words.filter(({ alternatives, as }) => alternatives.length > 0 && as !== "optional");
  return known.length > 1 || total === 0;
}

/** More words add nothing to the best, and take time. */
const mostWords = 8;

/** The words by which documents are related, and the others. */
export function rarestWords(words: readonly WeighedWord[]): [WeighedWord[], WeighedWord[]] {
  const rarestFirst = words
    .filter(({ documents, as }) => documents > 0 && as !== "optional")
    .sort((a, b) => a.documents - b.documents);
  return [rarestFirst.slice(0, mostWords), rarestFirst.slice(mostWords)];
}
