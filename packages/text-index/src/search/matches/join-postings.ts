import { gallop, type Postings, postingCount } from "../../segment/postings.ts";
import { checkTime } from "../../time-limit.ts";
import { createArrays, type Matches, passOver, settle } from "./matches.ts";

// From this ratio of lengths on, skipping through the longer list is faster than reading it.
const gallopRatio = 8;

/** Keeps matches that the postings have as well, and adds their scores. */
export function intersect(matches: Matches, postings: Postings, weight: number): void {
  checkTime();
  if (postings.dense === undefined) {
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
  for (const { list, weight } of lists) joined += addToSums(sums, marks, list, weight);
  let at = 0;
  for (let word = 0; at < joined; word++) {
    let bits = marks[word] ?? 0;
    if (bits === 0) continue;
    marks[word] = 0;
    for (; bits !== 0; bits &= bits - 1) {
      const doc = (word << 5) + 31 - Math.clz32(bits & -bits);
      docs[at] = doc;
      scores[at++] = sums[doc] ?? 0;
    }
  }
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
