import type { PlaceRange } from "../facets/attribute-numbers.ts";
import { gallop, type Postings, PostingsCursor, postingCount, takeMarked } from "../segment/postings.ts";
import type { Deletions } from "../segment/segment.ts";
import type { Column, Numbers } from "../segment/segment-layout.ts";
import { checkedAtOnce, checkTime } from "../time-limit.ts";

/**
 * The documents that match so far, in ascending order, each with its score. The arrays are scratch space of the reader; `count`
 * is the length in use.
 */
export interface Matches {
  docs: Uint32Array;
  scores: Int32Array;
  count: number;
  /** A list that was loaded unchanged. It is copied only when another operation follows. */
  deferred: Deferred | undefined;
  /** A second set of arrays, for operations that cannot work in place. */
  spare: { docs: Uint32Array; scores: Int32Array } | undefined;
}

/** The documents of a list, except deleted ones. */
export interface Deferred {
  readonly postings: Postings;
  readonly weight: number;
  readonly deletions: Deletions | undefined;
}

export function createMatches(capacity: number): Matches {
  return { ...createArrays(capacity), count: 0, deferred: undefined, spare: undefined };
}

function createArrays(capacity: number) {
  return { docs: new Uint32Array(capacity), scores: new Int32Array(capacity) };
}

// The loops of this folder are the engine's inner loops: plain indexing, no closures, no allocation. `?? 0` satisfies the type
// checker and costs nothing: the compiler sees that the reads stay inside the arrays.

export function loadAll(matches: Matches, documents: number): void {
  matches.deferred = undefined;
  for (let doc = 0; doc < documents; doc++) matches.docs[doc] = doc;
  matches.scores.fill(0, 0, documents);
  matches.count = documents;
}

/** Matches without words: all have the same score. */
export function loadDocuments(matches: Matches, docs: Uint32Array): void {
  matches.deferred = undefined;
  matches.docs.set(docs);
  matches.scores.fill(0, 0, docs.length);
  matches.count = docs.length;
}

export function clear(matches: Matches): void {
  matches.count = 0;
  matches.deferred = undefined;
}

export function loadPostings(matches: Matches, postings: Postings, weight: number): void {
  matches.count = postingCount(postings);
  matches.deferred = { postings, weight, deletions: undefined };
}

/** Copies a deferred list. Everything that reads the arrays calls it first. */
export function settle(matches: Matches): void {
  if (matches.deferred === undefined) return;
  const { postings, weight, deletions } = matches.deferred;
  if (deletions !== undefined) {
    keepLive(matches, deletions);
    return;
  }
  matches.deferred = undefined;
  const { docs, impacts, start, end } = postings;
  const { scores } = matches;
  matches.docs.set(docs.subarray(start, end));
  for (let at = start; at < end; at++) scores[at - start] = (impacts[at] ?? 0) * weight;
}

/** The input of a pass over the matches. A list that was not copied yet is read directly. */
interface Passage {
  readonly from: Uint32Array;
  readonly first: number;
  readonly count: number;
  /** Scores are these times `weight`, if present. */
  readonly impacts: Uint8Array | undefined;
  readonly weight: number;
}

/** The matches for reading; those of a deferred list include deleted documents. */
export function passageOf({ deferred, docs, count }: Matches): Passage {
  if (deferred === undefined) return { from: docs, first: 0, count, impacts: undefined, weight: 1 };
  const { postings, weight } = deferred;
  const { start, impacts } = postings;
  return { from: postings.docs, first: start, count: postingCount(postings), impacts, weight };
}

/** Begins a pass that writes the kept matches to the front of the arrays, and at the end sets `count`. */
function passOver(matches: Matches): Passage {
  checkTime();
  const passage = passageOf(matches);
  matches.deferred = undefined;
  return passage;
}

export function keepLive(matches: Matches, deletions: Deletions): void {
  const { from, first, count, impacts, weight } = passOver(matches);
  const { docs, scores } = matches;
  let kept = 0;
  // Each one is written, and overwritten by the next if it is not kept: with several sources, a branch here would be
  // unpredictable for the CPU.
  for (let i = 0; i < count; i++) {
    const doc = from[first + i] ?? 0;
    docs[kept] = doc;
    scores[kept] = impacts === undefined ? (scores[i] ?? 0) : (impacts[first + i] ?? 0) * weight;
    kept += 1 - (((deletions[doc >>> 3] ?? 0) >>> (doc & 7)) & 1);
  }
  matches.count = kept;
}

// From this ratio of lengths on, skipping through the longer list is faster than reading it.
const gallopRatio = 8;

/** Keeps matches that the postings have as well, and adds their scores. */
export function intersect(matches: Matches, postings: Postings, weight: number): void {
  if (postings.dense === undefined) {
    checkTime();
    settle(matches);
    intersectSparse(matches, postings, weight);
  } else intersectDense(matches, postings.dense, weight);
}

function intersectDense(matches: Matches, dense: Uint8Array, weight: number): void {
  const { from, first, count, impacts, weight: firstWeight } = passOver(matches);
  const { docs, scores } = matches;
  let kept = 0;
  if (impacts === undefined) {
    for (let i = 0; i < count; i++) {
      const doc = docs[i] ?? 0;
      const impact = dense[doc] ?? 0;
      docs[kept] = doc;
      scores[kept] = (scores[i] ?? 0) + impact * weight;
      kept += Number(impact !== 0);
    }
  } else {
    for (let i = 0; i < count; i++) {
      const doc = from[first + i] ?? 0;
      const impact = dense[doc] ?? 0;
      docs[kept] = doc;
      scores[kept] = (impacts[first + i] ?? 0) * firstWeight + impact * weight;
      kept += Number(impact !== 0);
    }
  }
  matches.count = kept;
}

function intersectSparse(matches: Matches, postings: Postings, weight: number): void {
  if (postingCount(postings) > matches.count * gallopRatio) lookUp(matches, postings, weight);
  else merge(matches, postings, weight);
}

function lookUp(matches: Matches, { docs: listed, impacts, start, end }: Postings, weight: number): void {
  const { docs, scores, count } = matches;
  let kept = 0;
  for (let i = 0, at = start; i < count; i++) {
    const doc = docs[i] ?? 0;
    at = gallop(listed, at, end, doc);
    if (at === end) break;
    if (listed[at] !== doc) continue;
    docs[kept] = doc;
    scores[kept++] = (scores[i] ?? 0) + (impacts[at] ?? 0) * weight;
  }
  matches.count = kept;
}

/** Each match is written, and overwritten by the next if it is not kept: which list goes on is unpredictable for the CPU. */
function merge(matches: Matches, { docs: listed, impacts, start, end }: Postings, weight: number): void {
  const { docs, scores, count } = matches;
  let kept = 0;
  for (let i = 0, at = start; i < count && at < end; ) {
    const doc = docs[i] ?? 0;
    const other = listed[at] ?? 0;
    const inBoth = Number(doc === other);
    docs[kept] = doc;
    scores[kept] = (scores[i] ?? 0) + inBoth * (impacts[at] ?? 0) * weight;
    kept += inBoth;
    i += Number(doc <= other);
    at += Number(doc >= other);
  }
  matches.count = kept;
}

/** Keeps all matches and adds the scores of the postings that match. */
export function addScores(matches: Matches, postings: Postings, weight: number): void {
  checkTime();
  settle(matches);
  if (postings.dense === undefined) addSparse(matches, postings, weight);
  else addDense(matches, postings.dense, weight);
}

function addDense({ docs, scores, count }: Matches, dense: Uint8Array, weight: number): void {
  for (let i = 0; i < count; i++) scores[i] = (scores[i] ?? 0) + (dense[docs[i] ?? 0] ?? 0) * weight;
}

function addSparse({ docs, scores, count }: Matches, postings: Postings, weight: number): void {
  const { docs: listed, impacts, end } = postings;
  const gallops = postingCount(postings) > count * gallopRatio;
  let at = postings.start;
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    if (gallops) at = gallop(listed, at, end, doc);
    else while (at < end && (listed[at] ?? 0) < doc) at++;
    if (at === end) return;
    if (listed[at] === doc) scores[i] = (scores[i] ?? 0) + (impacts[at] ?? 0) * weight;
  }
}

/** Joins the postings to the matches: the result has the documents of both, with the sum of the scores. */
export function unite(matches: Matches, postings: Postings, weight: number): void {
  checkTime();
  settle(matches);
  matches.spare ??= createArrays(matches.docs.length);
  const { docs, scores, count, spare } = matches;
  const { docs: listed, impacts, end } = postings;
  const gallops = postingCount(postings) > count * gallopRatio;
  let at = postings.start;
  let out = 0;
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    let next = at;
    if (gallops) next = gallop(listed, at, end, doc);
    else while (next < end && (listed[next] ?? 0) < doc) next++;
    if (next > at) copyPostings(spare, out, postings, at, next, weight);
    out += next - at;
    const both = next < end && listed[next] === doc;
    spare.docs[out] = doc;
    spare.scores[out++] = (scores[i] ?? 0) + (both ? (impacts[next] ?? 0) * weight : 0);
    at = both ? next + 1 : next;
  }
  copyPostings(spare, out, postings, at, end, weight);
  matches.count = out + end - at;
  matches.spare = { docs, scores };
  matches.docs = spare.docs;
  matches.scores = spare.scores;
}

/** A list and the points for one unit of its impact. */
export interface JoinedList {
  readonly list: Postings;
  readonly weight: number;
}

/**
 * The same for several lists, in one pass over each: sums stand at the number of the document, and `marks`, zero before and
 * after, has a bit for each document with a sum. One list after the other copies all matches for each: that took two to
 * three times as long for a query of thirty words at 100,000 products.
 */
export function uniteAll(matches: Matches, lists: readonly JoinedList[], marks: Uint32Array): void {
  checkTime();
  settle(matches);
  matches.spare ??= createArrays(matches.docs.length);
  const { docs, scores, count, spare } = matches;
  const { scores: sums } = spare;
  let joined = count;
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    marks[doc >>> 5] = (marks[doc >>> 5] ?? 0) | (1 << (doc & 31));
    sums[doc] = scores[i] ?? 0;
  }
  const leave = () => void marks.fill(0);
  for (const { list, weight } of lists) {
    checkTime(leave);
    joined += addToSums(sums, marks, list, weight);
  }
  takeMarked(marks, docs, joined);
  for (let at = 0; at < joined; at++) scores[at] = sums[docs[at] ?? 0] ?? 0;
  matches.count = joined;
}

/** Returns the number of documents that had no sum before. */
function addToSums(
  sums: Int32Array,
  marks: Uint32Array,
  { docs, impacts, start, end }: Postings,
  weight: number,
): number {
  let added = 0;
  for (let at = start; at < end; at++) {
    const doc = docs[at] ?? 0;
    const points = (impacts[at] ?? 0) * weight;
    const bits = marks[doc >>> 5] ?? 0;
    const bit = 1 << (doc & 31);
    if ((bits & bit) === 0) {
      marks[doc >>> 5] = bits | bit;
      sums[doc] = points;
      added++;
    } else sums[doc] = (sums[doc] ?? 0) + points;
  }
  return added;
}

const shortRun = 16;

function copyPostings(
  target: Pick<Matches, "docs" | "scores">,
  out: number,
  { docs, impacts }: Postings,
  from: number,
  to: number,
  weight: number,
): void {
  const { scores } = target;
  if (to - from > shortRun) {
    target.docs.set(docs.subarray(from, to), out);
  } else {
    for (let at = from; at < to; at++) target.docs[out + at - from] = docs[at] ?? 0;
  }
  for (let at = from; at < to; at++) scores[out + at - from] = (impacts[at] ?? 0) * weight;
}

// In these loops each document is written, and overwritten by the next if it is not kept: a branch would be unpredictable for
// the CPU. A price filter on a frequent word takes .6 of the time.

/** Keeps the documents whose value is within the bounds. */
export function keepRange(matches: Matches, column: Column, least: number, most: number): void {
  const { from, first, count, impacts, weight } = passOver(matches);
  const { docs, scores } = matches;
  let kept = 0;
  if (impacts === undefined) {
    for (let i = 0; i < count; i++) {
      const doc = docs[i] ?? 0;
      const value = column[doc] ?? 0;
      docs[kept] = doc;
      scores[kept] = scores[i] ?? 0;
      kept += Number(value >= least) & Number(value <= most);
    }
  } else {
    for (let i = 0; i < count; i++) {
      const doc = from[first + i] ?? 0;
      const value = column[doc] ?? 0;
      docs[kept] = doc;
      scores[kept] = (impacts[first + i] ?? 0) * weight;
      kept += Number(value >= least) & Number(value <= most);
    }
  }
  matches.count = kept;
}

/** Keeps the documents whose number is marked with 1. All others are marked with 0. */
export function keepMarked(matches: Matches, column: Numbers, marks: Uint8Array): void {
  const { from, first, count, impacts, weight } = passOver(matches);
  const { docs, scores } = matches;
  let kept = 0;
  if (impacts === undefined) {
    for (let i = 0; i < count; i++) {
      const doc = docs[i] ?? 0;
      docs[kept] = doc;
      scores[kept] = scores[i] ?? 0;
      kept += marks[column[doc] ?? 0] ?? 0;
    }
  } else {
    for (let i = 0; i < count; i++) {
      const doc = from[first + i] ?? 0;
      docs[kept] = doc;
      scores[kept] = (impacts[first + i] ?? 0) * weight;
      kept += marks[column[doc] ?? 0] ?? 0;
    }
  }
  matches.count = kept;
}

/** Keeps the documents whose bit is set. */
export function keepSet(matches: Matches, bits: Uint8Array): void {
  const { from, first, count, impacts, weight } = passOver(matches);
  const { docs, scores } = matches;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const doc = from[first + i] ?? 0;
    docs[kept] = doc;
    scores[kept] = impacts === undefined ? (scores[i] ?? 0) : (impacts[first + i] ?? 0) * weight;
    kept += ((bits[doc >>> 3] ?? 0) >>> (doc & 7)) & 1;
  }
  matches.count = kept;
}

/** Keeps the documents whose place is in the range. */
export function keepPlaces(matches: Matches, { places, first: least, last: most }: PlaceRange): void {
  const { from, first, count, impacts, weight } = passOver(matches);
  const { docs, scores } = matches;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const doc = from[first + i] ?? 0;
    const place = places[doc] ?? 0;
    docs[kept] = doc;
    scores[kept] = impacts === undefined ? (scores[i] ?? 0) : (impacts[first + i] ?? 0) * weight;
    kept += Number(place >= least) & Number(place <= most);
  }
  matches.count = kept;
}

/** Keeps the matches that are marked, of which the first has its mark at `start`. */
export function keepMarkedEntries(matches: Matches, marks: Uint8Array, start: number): void {
  settle(matches);
  const { docs, scores, count } = matches;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    docs[kept] = docs[i] ?? 0;
    scores[kept] = scores[i] ?? 0;
    kept += marks[start + i] ?? 0;
  }
  matches.count = kept;
}

/** Those of a sorted list that are among the matches. Of a list that was not copied yet, deleted documents are, too. */
export function matchesIn({ deferred, docs, count }: Matches, listed: Uint32Array): Uint32Array {
  if (deferred !== undefined) {
    const cursor = new PostingsCursor(deferred.postings);
    return listed.filter((doc) => cursor.impactOn(doc) > 0);
  }
  let at = 0;
  return listed.filter((doc) => {
    at = gallop(docs, at, count, doc);
    return at < count && docs[at] === doc;
  });
}

/** Keeps the documents that are in a sorted list, or those that are not. */
export function retain(matches: Matches, listed: Uint32Array, inList: boolean): void {
  settle(matches);
  const { docs, scores, count } = matches;
  let at = 0;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    if (i % checkedAtOnce === 0) checkTime();
    const doc = docs[i] ?? 0;
    at = gallop(listed, at, listed.length, doc);
    if ((at < listed.length && listed[at] === doc) !== inList) continue;
    docs[kept] = doc;
    scores[kept++] = scores[i] ?? 0;
  }
  matches.count = kept;
}

/**
 * Removes the few documents of a sorted list. Each is looked up, and what is between them moves as a block: `retain` looks
 * at every match, which took ten times as long for a word that 200,000 documents have.
 */
export function removeFew(matches: Matches, listed: Uint32Array): void {
  settle(matches);
  const { docs, count } = matches;
  let kept = 0;
  let from = 0;
  for (const doc of listed) {
    const at = gallop(docs, from, count, doc);
    if (at >= count || docs[at] !== doc) continue;
    kept = moveBlock(matches, kept, from, at);
    from = at + 1;
  }
  matches.count = moveBlock(matches, kept, from, count);
}

/** Adds the few documents of a sorted list, none of which is a match, with the score 0. */
export function addFew(matches: Matches, listed: Uint32Array): void {
  settle(matches);
  const { docs, scores } = matches;
  let end = matches.count;
  for (let left = listed.length - 1; left >= 0; left--) {
    const doc = listed[left] ?? 0;
    const at = gallop(docs, 0, end, doc);
    moveBlock(matches, at + left + 1, at, end);
    docs[at + left] = doc;
    scores[at + left] = 0;
    end = at;
  }
  matches.count += listed.length;
}

/** Returns the place behind the block. */
function moveBlock({ docs, scores }: Matches, to: number, from: number, end: number): number {
  if (to !== from) {
    docs.copyWithin(to, from, end);
    scores.copyWithin(to, from, end);
  }
  return to + end - from;
}
