import type { TextTable, Variants } from "../facets/frequent-values.ts";
import { keepMarkedEntries, type Matches, settle } from "../search/matches.ts";
import {
  Hits,
  lastDocuments,
  type Ranking,
  rankedColumn,
  rankingOf,
  rerankedCount,
  rerankedHits,
  roundScore,
  type ScoreFactors,
  type WeighedWord,
} from "../search/rank-hits.ts";
import type { GroupOfHits, SearchQuery } from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import { lastStep } from "../search/top-hits.ts";
import { compareDocuments, type Segment } from "../segment/segment.ts";
import { pricesOf, type Sections } from "../segment/segment-layout.ts";
import { indexOfCoded, stringAt, unpackStrings } from "../segment/string-table.ts";
import { checkedAtOnce, checkTime } from "../time-limit.ts";

/** Clearing a slot for each group takes a tenth of a search for few documents. */
const fewSlots = 8;
/** Ends a chain. */
export const noEntry = 0xffffffff;

/** Documents of one segment. */
export interface DocumentList {
  /** The index of the reader. */
  readonly reader: number;
  readonly docs: Uint32Array;
  readonly count: number;
}

/**
 * Documents by their group. Each document is an entry; the entries of a group are a chain, the last one first. Building it takes
 * linear time and no sorting.
 */
export class Groups {
  /** The number of groups. */
  count = 0;
  readonly entries: number;
  /** For each group, the last of its entries. */
  readonly heads: Uint32Array;
  /** For each entry, the one before it in its group. */
  readonly next: Uint32Array;
  readonly docs: Uint32Array;
  readonly readers: Uint8Array;
  /** Whose documents are the entries, in this order. */
  readonly lists: readonly DocumentList[];
  /** By reader. */
  readonly sections: readonly Sections[];
  readonly #numbers: ReturnType<typeof groupNumbers>;
  /** In the slot of each group number, the place of its chain plus 1. */
  readonly #places: Uint32Array;
  /** By place, if slots are found by hashing. */
  readonly #numberAt: Uint32Array | undefined;

  constructor(readers: readonly SegmentReader[], lists: readonly DocumentList[]) {
    checkTime();
    this.#numbers = groupNumbers(readers);
    this.lists = lists;
    this.sections = readers.map(({ segment }) => segment.sections);
    this.entries = lists.reduce((sum, { count }) => sum + count, 0);
    const slots = 2 ** Math.ceil(Math.log2(this.entries + 1) + 1);
    const isHashed = slots * fewSlots < this.#numbers.total;
    this.#places = new Uint32Array(isHashed ? slots : this.#numbers.total);
    if (isHashed) this.#numberAt = new Uint32Array(this.entries);
    this.heads = new Uint32Array(this.entries);
    this.next = new Uint32Array(this.entries);
    this.docs = new Uint32Array(this.entries);
    this.readers = new Uint8Array(this.entries);
    let entry = 0;
    for (const list of lists) {
      this.#add(list, entry);
      entry += list.count;
    }
  }

  /** An inner loop: plain indexing, no closures, no allocation. */
  #add({ reader, docs, count }: DocumentList, first: number): void {
    const { heads, next } = this;
    const places = this.#places;
    const numberAt = this.#numberAt;
    const column = this.sections[reader]?.groupNumbers ?? new Uint32Array();
    const map = this.#numbers.maps[reader];
    this.docs.set(docs.subarray(0, count), first);
    this.readers.fill(reader, first, first + count);
    for (let i = 0; i < count; i++) {
      if (i % checkedAtOnce === 0) checkTime();
      const number = column[docs[i] ?? 0] ?? 0;
      const group = map === undefined ? number : (map[number] ?? 0);
      const slot = this.#slotOf(group);
      const place = places[slot] ?? 0;
      if (place === 0) {
        if (numberAt !== undefined) numberAt[this.count] = group;
        places[slot] = this.count + 1;
        next[first + i] = noEntry;
        heads[this.count++] = first + i;
      } else {
        next[first + i] = heads[place - 1] ?? noEntry;
        heads[place - 1] = first + i;
      }
    }
  }

  /** The place of a document's group, or −1 if no document of that group is here. */
  placeOf(reader: number, doc: number): number {
    return (this.#places[this.#slotOf(this.numberOf(reader, doc))] ?? 0) - 1;
  }

  /** The number of a document's group, which any document may have. */
  numberOf(reader: number, doc: number): number {
    const number = this.sections[reader]?.groupNumbers[doc] ?? 0;
    return this.#numbers.maps[reader]?.[number] ?? number;
  }

  #slotOf(group: number): number {
    const numberAt = this.#numberAt;
    if (numberAt === undefined) return group;
    const places = this.#places;
    const mask = places.length - 1;
    let slot = Math.imul(group, 0x9e3779b1) & mask;
    for (let place = places[slot] ?? 0; place > 0; place = places[slot] ?? 0) {
      if (numberAt[place - 1] === group) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** The entries of a group in the order in which they were added. */
  membersOf(place: number): number[] {
    const members: number[] = [];
    for (let entry = this.heads[place] ?? noEntry; entry !== noEntry; entry = this.next[entry] ?? noEntry)
      members.push(entry);
    return members.reverse();
  }
}

/** The groups of the matches in the readers' scratch space. The entries of a reader are its matches, in their order. */
export function groupsOfMatches(readers: readonly SegmentReader[]): Groups {
  return new Groups(
    readers,
    readers.map(({ state: { matches } }, reader) => listOf(matches, reader)),
  );
}

export function listOf(matches: Matches, reader: number): DocumentList {
  settle(matches);
  return { reader, docs: matches.docs, count: matches.count };
}

export interface GroupHit {
  readonly reader: number;
  readonly doc: number;
  readonly score: number;
}

/**
 * The page of a query with one hit for each group: the hits without groups, in the same order, of which only the first of each
 * group is kept. In the readers' scratch space at most one match of each group is left.
 */
export function rankGroups(
  readers: readonly SegmentReader[],
  query: SearchQuery,
  words: readonly WeighedWord[],
  thing: number,
  groups: Groups,
  factors?: readonly ScoreFactors[],
): GroupHit[] {
  const { offset, limit } = query;
  const ranking = rankingOf(query);
  const reranked = rerankedCount(ranking, words);
  const first = reranked === 0 ? [] : firstByNames(readers, query, words, thing, groups, factors);
  const places = new Set(first.map(({ reader, doc }) => groups.placeOf(reader, doc)));
  // The others are behind these, whatever their names.
  const left = keepBestOfGroups(readers, ranking, groups, places, factors);
  const from = Math.max(0, offset - first.length);
  const to = offset + limit - first.length;
  const others = new Hits(readers, Math.max(0, to), ranking, left);
  const page = to > from ? others.hitsOf(others.page(from, to, 0), ranking.sort) : [];
  return [...first.slice(offset, offset + limit), ...page];
}

/** Of the documents that are ranked by their names, the first of each group. */
export function firstByNames(
  readers: readonly SegmentReader[],
  { text, lastAvailability: last }: Pick<SearchQuery, "text" | "lastAvailability">,
  words: readonly WeighedWord[],
  thing: number,
  groups: Pick<Groups, "numberOf">,
  factors?: readonly ScoreFactors[],
): GroupHit[] {
  const hits = new Hits(readers, rerankedHits, { sort: "relevance", order: "desc", last }, factors);
  hits.addNameBonus(rerankedHits, { text, words, thing });
  const numbers = new Set<number>();
  return hits.hitsOf(hits.page(0, rerankedHits, rerankedHits), "relevance").filter(({ reader, doc }) => {
    const number = groups.numberOf(reader, doc);
    const isFirst = !numbers.has(number);
    numbers.add(number);
    return isFirst;
  });
}

/** Leaves the first match of each group, and none of the groups at `without`. Returns the factors of what is left. */
function keepBestOfGroups(
  readers: readonly SegmentReader[],
  ranking: Ranking,
  groups: Groups,
  without: ReadonlySet<number>,
  factors: readonly ScoreFactors[] | undefined,
): ScoreFactors[] | undefined {
  const { heads, next, docs, readers: readerOf } = groups;
  const starts = startsOf(readers);
  const { columns, scoreWeight } = rankedColumn(readers, ranking);
  const sign = ranking.order === "asc" ? -1 : 1;
  const scoreAt = (entry: number): number => {
    const reader = readerOf[entry] ?? 0;
    const at = entry - (starts[reader] ?? 0);
    const score = readers[reader]?.state.matches.scores[at] ?? 0;
    return factors === undefined ? score : roundScore(score * (factors[reader]?.factors[at] ?? 1));
  };
  const lastOf = readers.map((reader) => lastDocuments(reader, ranking));
  const valueAt = (entry: number): number => {
    const reader = readerOf[entry] ?? 0;
    const doc = docs[entry] ?? 0;
    const column = columns?.[reader];
    if (column !== undefined) return sign * (column[doc] ?? 0);
    const last = lastOf[reader];
    const isLast = last !== undefined && last.codes[doc] === last.code;
    return sign * scoreAt(entry) - (isLast ? lastStep : 0);
  };
  const isBetter = (entry: number, best: number): boolean => {
    const difference = valueAt(entry) - valueAt(best);
    if (difference !== 0) return difference > 0;
    const scores = scoreWeight === 0 ? 0 : scoreAt(entry) - scoreAt(best);
    if (scores !== 0) return scores > 0;
    const one = readers[readerOf[entry] ?? 0];
    const other = readers[readerOf[best] ?? 0];
    if (one === undefined || other === undefined) return false;
    return one === other
      ? (docs[entry] ?? 0) < (docs[best] ?? 0)
      : compareDocuments(one.segment, docs[entry] ?? 0, other.segment, docs[best] ?? 0) < 0;
  };
  const kept = new Uint8Array(groups.entries);
  for (let place = 0; place < groups.count; place++) {
    if (place % checkedAtOnce === 0) checkTime();
    let best = heads[place] ?? 0;
    for (let entry = next[best] ?? noEntry; entry !== noEntry; entry = next[entry] ?? noEntry)
      if (isBetter(entry, best)) best = entry;
    kept[best] = 1;
  }
  for (const place of without) for (const entry of groups.membersOf(place)) kept[entry] = 0;
  readers.forEach(({ state: { matches } }, reader) => {
    keepMarkedEntries(matches, kept, starts[reader] ?? 0);
  });
  const isKept = (reader: number) => (_: number, at: number) => kept[(starts[reader] ?? 0) + at] === 1;
  return factors?.map((of, reader) => ({
    docs: of.docs.filter(isKept(reader)),
    factors: of.factors.filter(isKept(reader)),
  }));
}

/** The first entry of each reader's matches. */
function startsOf(readers: readonly SegmentReader[]): number[] {
  let start = 0;
  return readers.map(({ state: { matches } }) => {
    const own = start;
    start += matches.count;
    return own;
  });
}

/** The matches of each hit's group. */
export function variantsOf(
  readers: readonly SegmentReader[],
  hits: readonly GroupHit[],
  groups: Groups,
  limit: number,
): GroupOfHits[] {
  return hits.map(({ reader, doc }) => {
    const members = groups.membersOf(groups.placeOf(reader, doc)).map((entry) => ({
      doc: groups.docs[entry] ?? 0,
      segment: readers[groups.readers[entry] ?? 0]?.segment,
    }));
    const prices = members.map(({ doc: one, segment }) =>
      segment === undefined ? 0 : (pricesOf(segment.sections)[one] ?? 0),
    );
    // Those of each segment are in order already.
    members.sort((a, b) => {
      if (a.segment === b.segment || a.segment === undefined || b.segment === undefined) return a.doc - b.doc;
      return compareDocuments(a.segment, a.doc, b.segment, b.doc);
    });
    return {
      count: members.length,
      minPriceMinor: prices.reduce((least, price) => Math.min(least, price), Number.POSITIVE_INFINITY),
      maxPriceMinor: prices.reduce((most, price) => Math.max(most, price), 0),
      rowIds: members.slice(0, limit).map(({ doc: one, segment }) => segment?.sections.ids[one] ?? 0),
    };
  });
}

/** One number for each text over several tables, so that members of a group in different segments are counted together. */
export interface JoinedNumbers {
  /** For each table, the joined numbers of its texts, from `from` on. Undefined for the first, which keeps its numbers. */
  readonly maps: ReadonlyArray<Uint32Array | undefined>;
  /** All numbers are below it. */
  readonly total: number;
  textOf(number: number): string;
  /** Numbers of texts that differ only in case and accents, in the order of their texts. */
  readonly variants: Variants["sets"];
}

/** `compare`: the order of variants. */
export function joinNumbers(
  tables: readonly TextTable[],
  first: Variants,
  compare: (one: string, other: string) => number,
): JoinedNumbers {
  const [table] = tables;
  const texts = joinTexts(tables);
  const { from = 0, to = 0 } = table ?? {};
  const byKey = new Map<string, number[]>();
  for (let number = to; number < texts.total; number++) {
    const key = table?.keyOf(texts.textOf(number)) ?? "";
    const inFirst = table?.numbersOf(key).filter((one) => from <= one && one < to) ?? [];
    byKey.set(key, [...(byKey.get(key) ?? inFirst), number]);
  }
  const further = [...byKey.values()].filter(({ length }) => length > 1);
  const joined = new Set(further.flat());
  return {
    ...texts,
    variants: [
      ...first.sets.filter(([one]) => one === undefined || !joined.has(one)),
      ...further.map((numbers) => numbers.sort((a, b) => compare(texts.textOf(a), texts.textOf(b)) || a - b)),
    ],
  };
}

function joinTexts(tables: readonly TextTable[]): Omit<JoinedNumbers, "variants"> {
  const [first] = tables;
  const further = new Map<string, number>();
  const furtherTexts: string[] = [];
  const end = first?.to ?? 0;
  const maps = tables.map((table) => {
    if (table === first) return undefined;
    const map = new Uint32Array(table.to - table.from);
    for (let number = table.from; number < table.to; number++) {
      const text = table.textOf(number);
      const known = first?.numberOf(text) ?? -1;
      const joined = known >= (first?.from ?? 0) ? known : (further.get(text) ?? end + further.size);
      if (joined === end + further.size) {
        further.set(text, joined);
        furtherTexts.push(text);
      }
      map[number - table.from] = joined;
    }
    return map;
  });
  return {
    maps,
    total: end + further.size,
    textOf: (number) => (number < end ? first?.textOf(number) : furtherTexts[number - end]) ?? "",
  };
}

/** The groups of the documents of several segments. */
export interface GroupNumbers {
  /** For each segment, the numbers of its groups over all segments. Undefined if they are the same. */
  readonly maps: ReadonlyArray<Uint32Array | undefined>;
  readonly total: number;
}

const numbersOf = new WeakMap<readonly SegmentReader[], GroupNumbers>();

function groupNumbers(readers: readonly SegmentReader[]): GroupNumbers {
  const known = numbersOf.get(readers) ?? joinGroups(readers);
  numbersOf.set(readers, known);
  return known;
}

/** Documents that are alone get a number of their own in every segment. */
function joinGroups(readers: readonly SegmentReader[]): GroupNumbers {
  const [first, ...others] = readers.map(({ segment }) => segment);
  if (first === undefined) return { maps: [], total: 0 };
  let total = numbersIn(first);
  const further = new Map<string, number>();
  const maps = others.map((segment) => {
    const map = new Uint32Array(numbersIn(segment));
    const names = unpackStrings(segment.groups);
    for (let number = 0; number < map.length; number++) {
      const group = number < segment.groups.count ? stringAt(names, number) : undefined;
      const inFirst = group === undefined ? -1 : indexOfCoded(first.groups, group);
      const joined = inFirst >= 0 ? inFirst : group === undefined ? undefined : further.get(group);
      map[number] = joined ?? total;
      if (joined !== undefined) continue;
      if (group !== undefined) further.set(group, total);
      total++;
    }
    return map;
  });
  return { maps: [undefined, ...maps], total };
}

const countsOfNumbers = new WeakMap<Segment, number>();

/** Groups, and documents that are alone. */
function numbersIn(segment: Segment): number {
  const known = countsOfNumbers.get(segment);
  if (known !== undefined) return known;
  const { groupNumbers: column } = segment.sections;
  let end = segment.groups.count;
  for (let doc = 0; doc < column.length; doc++) end = Math.max(end, (column[doc] ?? 0) + 1);
  countsOfNumbers.set(segment, end);
  return end;
}
