import type { NearMisses } from "../facets/near-misses.ts";
import { tagFilters } from "../facets/numeric-attributes.ts";
import { gallop } from "../segment/postings.ts";
import { checkedAtOnce, checkTime } from "../time-limit.ts";
import { documentsOfBrands } from "./filter.ts";
import {
  addFew,
  createMatches,
  loadDocuments,
  type Matches,
  matchesIn,
  removeFew,
  settle,
} from "./matches.ts";
import type { Matching } from "./matching.ts";
import {
  type RankedHits,
  rankHits,
  type ScoreFactors,
  type SetFactor,
  type WeighedReading,
} from "./rank-hits.ts";
import type { RuleBoost, RulePin, SearchQuery, SearchRules } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { isInSet } from "./top-hits.ts";

export interface RuledHits extends RankedHits {
  readonly total: number;
}

/**
 * Ranks the page of a query with rules: hidden documents leave the matches, pinned ones join them if they pass the filters. Facets
 * are counted over the result.
 */
export function rankByRules(
  matching: Matching,
  query: SearchQuery,
  { words, thing }: WeighedReading,
  rules: SearchRules,
): RuledHits {
  const { readers } = matching;
  const isPlaced = placesPins(query);
  const { joining, pins } = changeMatches(matching, rules, isPlaced);
  const join = () =>
    readers.forEach(({ state }, i) => {
      addFew(state.matches, joining[i] ?? new Uint32Array());
    });
  if (!isPlaced) join();
  const others = countMatches(readers);
  const { offset, limit, fill } = placePins(pins, others, query);
  const factors = factorsOfAll(matching, rules);
  const { ids } = rankHits(readers, { ...query, offset, limit }, words, thing, factors);
  if (isPlaced) join();
  return { ids: fill(ids), scores: [], total: countMatches(readers) };
}

/** Only relevance has positions for pins: by a column, they come where their value is. */
export function placesPins({ sort = "relevance" }: SearchQuery): boolean {
  return sort === "relevance";
}

function countMatches(readers: readonly SegmentReader[]): number {
  return readers.reduce((sum, { state }) => sum + state.matches.count, 0);
}

/** A pinned document that passes the filters. */
export interface JoinedPin extends RulePin {
  readonly reader: number;
  readonly doc: number;
}

export interface ChangedMatches {
  /** For each reader, pinned documents that are not among the matches. */
  readonly joining: readonly Uint32Array[];
  /** Those that have positions. */
  readonly pins: readonly JoinedPin[];
}

/** Takes hidden documents out of the matches, and pinned ones that have positions. */
export function changeMatches(
  matching: Matching,
  { hide = [], pin = [] }: SearchRules,
  isPlaced: boolean,
): ChangedMatches {
  const { readers } = matching;
  for (const reader of readers) removeDocuments(reader, documentsOf(reader, hide));
  const passing = readers.map((reader, i) => passingPins(matching, reader, i, pin, hide));
  if (!isPlaced)
    return {
      joining: readers.map(({ state }, i) => notMatched(state.matches, passing[i] ?? new Uint32Array())),
      pins: [],
    };
  readers.forEach(({ state }, i) => {
    removeFew(state.matches, passing[i] ?? new Uint32Array());
  });
  const pins = readers.flatMap((reader, i) => pinsOf(reader, i, passing[i] ?? new Uint32Array(), pin));
  return { joining: passing, pins };
}

function notMatched(matches: Matches, docs: Uint32Array): Uint32Array {
  settle(matches);
  const { docs: matched, count } = matches;
  return docs.filter((doc) => {
    const at = gallop(matched, 0, count, doc);
    return at >= count || matched[at] !== doc;
  });
}

/** By reader, the factors of its matches; undefined without boosts. */
export function factorsOfAll(matching: Matching, { boosts = [] }: SearchRules): ScoreFactors[] | undefined {
  return boosts.length === 0 ? undefined : matching.readers.map((_, i) => factorsOf(matching, i, boosts));
}

/** The live documents with these ids, ascending. */
export function documentsOf(reader: SegmentReader, ids: readonly number[]): Uint32Array {
  const docs = ids.flatMap((id) => reader.documentOf(id) ?? []);
  return Uint32Array.from(new Set(docs)).sort();
}

/** From the matches and from what the facets count besides. */
function removeDocuments({ state }: SegmentReader, docs: Uint32Array): void {
  if (docs.length === 0) return;
  removeFew(state.matches, docs);
  state.nearMisses = mapMisses(state.nearMisses, (missed) => missed.filter((doc) => !isIn(docs, doc)));
}

/** The pinned documents that pass the filters; near misses among them are added. */
function passingPins(
  matching: Matching,
  reader: SegmentReader,
  place: number,
  pin: readonly RulePin[],
  hide: readonly number[],
): Uint32Array {
  const hidden = new Set(hide);
  const wanted = documentsOf(
    reader,
    pin.map(({ rowId: id }) => id).filter((id) => !hidden.has(id)),
  );
  if (wanted.length === 0) return wanted;
  const { state } = reader;
  const former = state.nearMisses;
  const passing = passingOf(matching, place, wanted);
  const near = state.nearMisses;
  state.nearMisses = mapMisses(former, (missed, kind) =>
    Uint32Array.from(new Set([...missed, ...(near.get(kind) ?? [])])).sort(),
  );
  for (const [kind, docs] of near)
    if (!former.has(kind)) state.nearMisses = new Map([...state.nearMisses, [kind, docs]]);
  return passing;
}

function pinsOf(
  reader: SegmentReader,
  place: number,
  docs: Uint32Array,
  pin: readonly RulePin[],
): JoinedPin[] {
  const { ids } = reader.segment.sections;
  const docOf = new Map(Array.from(docs, (doc) => [ids[doc], doc]));
  return pin.flatMap(({ rowId, position }) => {
    const doc = docOf.get(rowId);
    return doc === undefined ? [] : [{ rowId, position, reader: place, doc }];
  });
}

/** The documents that pass the filters of the query. */
function passingOf(matching: Matching, place: number, docs: Uint32Array): Uint32Array {
  const some = createMatches(docs.length);
  loadDocuments(some, docs);
  matching.filterOther(place, some);
  settle(some);
  return some.docs.slice(0, some.count);
}

/** For each match, the product of the factors of all boosts that it belongs to. */
function factorsOf(matching: Matching, place: number, boosts: readonly RuleBoost[]): ScoreFactors {
  const reader = matching.readers[place];
  if (reader === undefined) return { docs: new Uint32Array(), factors: new Float64Array() };
  const { matches } = reader.state;
  settle(matches);
  const docs = matches.docs.subarray(0, matches.count);
  const factors = new Float64Array(matches.count).fill(1);
  for (const boost of boosts) {
    const { docs: few, bits } = documentsOfBoost(reader, boost);
    if (few !== undefined) multiplyFew(factors, docs, few, boost.factor);
    else if (bits !== undefined) multiply(factors, docs, { bits, factor: boost.factor });
  }
  return { docs, factors };
}

/** Of a few documents: their places among the matches, which ascend, are found without a pass over them. */
function multiplyFew(factors: Float64Array, docs: Uint32Array, few: Uint32Array, factor: number): void {
  let at = 0;
  for (const doc of few) {
    at = gallop(docs, at, docs.length, doc);
    if (docs[at] === doc) factors[at] = (factors[at] ?? 1) * factor;
  }
}

/** An inner loop. */
function multiply(factors: Float64Array, docs: Uint32Array, { bits, factor }: SetFactor): void {
  for (let i = 0; i < docs.length; i++) {
    if (i % checkedAtOnce === 0) checkTime();
    if (isInSet(bits, docs[i] ?? 0)) factors[i] = (factors[i] ?? 1) * factor;
  }
}

/**
 * The matches that a boost raises or lowers, undefined without any. For what is found by ids or brands, only these are looked
 * at: most boosts of a shop are of other products.
 */
export function setOfBoost(reader: SegmentReader, boost: RuleBoost): SetFactor | undefined {
  const { docs, bits } = documentsOfBoost(reader, boost);
  if (docs === undefined) return bits && { bits, factor: boost.factor };
  const matched = matchesIn(reader.state.matches, docs);
  return matched.length === 0 ? undefined : { bits: bitsOf(reader, matched), factor: boost.factor };
}

/** A longer list is a set: to look each of its documents up would take longer than a pass over the matches. */
const fewDocuments = 4096;

/** The documents that have one of the ids, if there are any, and pass the filters: a list, or what has the tags. */
function documentsOfBoost(
  reader: SegmentReader,
  { filters, rowIds: ids }: RuleBoost,
): { docs?: Uint32Array; bits?: Uint8Array } {
  checkTime();
  const [docs, others] = [
    ...(ids === undefined ? [] : [documentsOf(reader, ids)]),
    ...(filters.brands === undefined ? [] : [documentsOfBrands(reader, filters)]),
  ];
  const tags = tagFilters(reader, filters).map(({ passing }) => passing());
  if (docs?.length === 0 || others?.length === 0 || tags.some(({ count }) => count === 0)) return {};
  const isLong = docs !== undefined && docs.length > fewDocuments;
  const lists = isLong ? [docs, ...(others === undefined ? [] : [others])] : [];
  const [bits, ...more] = [...tags.map((tag) => tag.bits), ...lists.map((list) => bitsOf(reader, list))];
  const tagged =
    more.length === 0 ? bits : bits?.map((byte, i) => more.reduce((all, one) => all & (one[i] ?? 0), byte));
  if (docs === undefined || isLong) return { bits: tagged ?? bitsOf(reader, new Uint32Array()).fill(255) };
  return {
    docs: docs.filter(
      (doc) => (others === undefined || isIn(others, doc)) && (tagged === undefined || isInSet(tagged, doc)),
    ),
  };
}

function bitsOf({ segment }: SegmentReader, docs: Uint32Array): Uint8Array {
  const bits = new Uint8Array((segment.documents + 7) >>> 3);
  for (let i = 0; i < docs.length; i++) {
    const doc = docs[i] ?? 0;
    bits[doc >>> 3] = (bits[doc >>> 3] ?? 0) | (1 << (doc & 7));
  }
  return bits;
}

function mapMisses(
  misses: NearMisses,
  change: (docs: Uint32Array, kind: Parameters<NearMisses["get"]>[0]) => Uint32Array,
): NearMisses {
  return new Map([...misses].map(([kind, docs]) => [kind, change(docs, kind)]));
}

function isIn(docs: Uint32Array, doc: number): boolean {
  return docs[gallop(docs, 0, docs.length, doc)] === doc;
}

/** The part of a page that is ranked, and where the pinned documents belong in it. */
interface PinnedPage {
  /** The page of the ranking without the pinned documents. */
  readonly offset: number;
  readonly limit: number;
  /** The whole page, made from the ids of that one. */
  fill(ranked: readonly number[]): number[];
}

/**
 * Puts each pinned document at its position and all others, in their order, at the positions that are left. Pins behind
 * the last of the others follow it, so that every document is on exactly one page.
 */
export function placePins(
  pins: readonly RulePin[],
  others: number,
  { offset, limit }: { offset: number; limit: number },
): PinnedPage {
  const placed = pins
    .toSorted((one, other) => one.position - other.position)
    .reduce<RulePin[]>((done, { rowId: id, position }, i) => {
      const next = (done.at(-1)?.position ?? -1) + 1;
      done.push({ rowId: id, position: Math.max(next, Math.min(position, others + i)) });
      return done;
    }, []);
  const before = placed.filter(({ position }) => position < offset).length;
  const here = new Map(
    placed
      .filter(({ position }) => position >= offset && position < offset + limit)
      .map(({ rowId: id, position }) => [position, id]),
  );
  return {
    offset: Math.max(0, offset - before),
    limit: limit - here.size,
    fill(ranked) {
      const page: number[] = [];
      let next = 0;
      for (let position = offset; position < offset + limit; position++) {
        const id = here.get(position) ?? ranked[next++];
        if (id !== undefined) page.push(id);
      }
      return page;
    },
  };
}
