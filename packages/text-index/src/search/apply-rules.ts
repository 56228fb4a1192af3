import type { NearMisses } from "../facets/near-misses.ts";
import { gallop } from "../segment/postings.ts";
import { checkTime } from "../time-limit.ts";
import { documentsOfBrands } from "./filter.ts";
import type { Matched } from "./match-query.ts";
import { addFew, fullMatchPoints, removeFew } from "./matches/keep-matches.ts";
import { createMatches, loadDocuments, settle } from "./matches/matches.ts";
import type { Matching } from "./matching.ts";
import { placePins } from "./place-pins.ts";
import { type RankedHits, rankHits, type ScoreFactors, type SetFactor } from "./rank-hits.ts";
import type { RuleBoost, RulePin, SearchQuery, SearchRules } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { tagFilters } from "./tag-filter.ts";
import { isInSet } from "./top-hits.ts";

export interface RuledHits extends RankedHits {
  readonly matched: Matched;
}

/**
 * Ranks the page of a query with rules, which change what the steps of the search have found and not the steps: hidden
 * documents leave the matches, pinned ones join them if they pass the filters. Facets are counted over the result.
 */
export function rankByRules(
  matching: Matching,
  query: SearchQuery,
  matched: Matched,
  rules: SearchRules,
): RuledHits {
  const { readers } = matching;
  const { full, joining, pins } = changeMatches(matching, matched, rules);
  const others = readers.reduce((sum, { state }) => sum + state.matches.count, 0);
  const { offset, limit, fill } = placePins(pins, others, query);
  const factors = factorsOfAll(matching, rules);
  const ranked = rankHits(readers, { ...query, offset, limit }, matched.words, matched.thing, factors);
  readers.forEach(({ state }, i) => {
    addFew(state.matches, joining[i] ?? new Uint32Array());
  });
  const total = others + pins.length;
  const totalWithEveryWord = full.reduce((sum, docs) => sum + docs.length, 0);
  return {
    ...ranked,
    ids: fill(ranked.ids),
    scores: [],
    matched: changeTotals(matched, total, totalWithEveryWord),
  };
}

export function changeTotals(matched: Matched, total: number, totalWithEveryWord: number): Matched {
  return {
    ...matched,
    total,
    totalWithEveryWord,
    absentThing: total === 0 ? matched.absentThing : undefined,
  };
}

/** A pinned document that passes the filters. */
export interface JoinedPin extends RulePin {
  readonly reader: number;
  readonly doc: number;
}

export interface ChangedMatches {
  /** For each reader, the documents with every word, the pinned ones among them. */
  readonly full: readonly Uint32Array[];
  /** For each reader, the pinned documents, which are no longer among the matches. */
  readonly joining: readonly Uint32Array[];
  readonly pins: readonly JoinedPin[];
}

/** Takes hidden and pinned documents out of the matches. */
export function changeMatches(
  matching: Matching,
  matched: Matched,
  { hide = [], pin = [] }: SearchRules,
): ChangedMatches {
  const { readers } = matching;
  for (const reader of readers) removeDocuments(reader, documentsOf(reader, hide));
  const full = readers.map((reader) => fullDocuments(reader, matched));
  const joining = readers.map((reader, i) => joinPinned(matching, reader, i, pin, hide));
  const pins = readers.flatMap((reader, i) => pinsOf(reader, i, joining[i] ?? new Uint32Array(), pin));
  return { full, joining, pins };
}

/** The matches that have every word. */
export function fullDocuments(
  { state: { matches } }: SegmentReader,
  { total, totalWithEveryWord }: Matched,
): Uint32Array {
  if (totalWithEveryWord === 0) return new Uint32Array();
  settle(matches);
  const docs = matches.docs.slice(0, matches.count);
  return totalWithEveryWord >= total
    ? docs
    : docs.filter((_, i) => (matches.scores[i] ?? 0) >= fullMatchPoints);
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

/** The pinned documents that pass the filters, which are no longer among the matches; near misses among them are added. */
function joinPinned(
  matching: Matching,
  reader: SegmentReader,
  place: number,
  pin: readonly RulePin[],
  hide: readonly number[],
): Uint32Array {
  const hidden = new Set(hide);
  const wanted = documentsOf(
    reader,
    pin.map(({ id }) => id).filter((id) => !hidden.has(id)),
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
  removeFew(state.matches, passing);
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
  return pin.flatMap(({ id, position }) => {
    const doc = docOf.get(id);
    return doc === undefined ? [] : [{ id, position, reader: place, doc }];
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
  for (const boost of boosts) multiply(factors, docs, setOfBoost(reader, boost));
  return { docs, factors };
}

/** An inner loop. */
function multiply(factors: Float64Array, docs: Uint32Array, { bits, factor }: SetFactor): void {
  for (let i = 0; i < docs.length; i++)
    if (isInSet(bits, docs[i] ?? 0)) factors[i] = (factors[i] ?? 1) * factor;
}

/** The documents that have one of the ids, if there are any, and pass the filters. */
export function setOfBoost(reader: SegmentReader, { filters, ids, factor }: RuleBoost): SetFactor {
  checkTime();
  const sets = [
    ...tagFilters(reader, filters).map(({ passing }) => passing.bits),
    ...(filters.brands === undefined ? [] : [bitsOf(reader, documentsOfBrands(reader, filters))]),
    ...(ids === undefined ? [] : [bitsOf(reader, documentsOf(reader, ids))]),
  ];
  const [first = bitsOf(reader, new Uint32Array()).fill(255), ...others] = sets;
  const bits = others.length === 0 ? first : first.slice();
  for (const other of others)
    for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] ?? 0) & (other[i] ?? 0);
  return { bits, factor };
}

function bitsOf({ segment }: SegmentReader, docs: Uint32Array): Uint8Array {
  const bits = new Uint8Array((segment.documents + 7) >>> 3);
  for (const doc of docs) bits[doc >>> 3] = (bits[doc >>> 3] ?? 0) | (1 << (doc & 7));
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
