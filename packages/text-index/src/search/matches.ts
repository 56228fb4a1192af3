import type { Deletions } from "../segment/deletions.ts";
import { gallop, type Postings, postingCount } from "../segment/postings.ts";

/**
 * The documents that match so far, in ascending order, each with its score and, if words may be missing, the total
 * cost of its words. The arrays are scratch space of the reader; `count` is the length in use.
 */
export interface Matches {
  docs: Uint32Array;
  scores: Int32Array;
  words: Uint8Array;
  count: number;
  /** A list that was loaded unchanged. It is copied only when another operation follows. */
  deferred: Deferred | undefined;
  /** A second set of arrays, for operations that cannot work in place. */
  spare: { docs: Uint32Array; scores: Int32Array; words: Uint8Array } | undefined;
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
  return {
    docs: new Uint32Array(capacity),
    scores: new Int32Array(capacity),
    words: new Uint8Array(capacity),
  };
}

// From this ratio of lengths on, skipping through the longer list is faster than reading it.
const gallopRatio = 12;

// The loops below are the engine's inner loops: plain indexing, no closures, no allocation. `?? 0` satisfies the type
// checker and costs nothing: the compiler sees that the reads stay inside the arrays.

export function loadAll(matches: Matches, documents: number): void {
  matches.deferred = undefined;
  for (let doc = 0; doc < documents; doc++) matches.docs[doc] = doc;
  matches.scores.fill(0, 0, documents);
  matches.count = documents;
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
export function passOver(matches: Matches): Passage {
  const passage = passageOf(matches);
  matches.deferred = undefined;
  return passage;
}

export function keepLive(matches: Matches, deletions: Deletions): void {
  const { from, first, count, impacts, weight } = passOver(matches);
  const { docs, scores, words } = matches;
  let kept = 0;
  // Each one is written, and overwritten by the next if it is not kept: with several sources, a branch here would be
  // unpredictable for the CPU.
  for (let i = 0; i < count; i++) {
    const doc = from[first + i] ?? 0;
    docs[kept] = doc;
    words[kept] = words[i] ?? 0;
    scores[kept] = impacts === undefined ? (scores[i] ?? 0) : (impacts[first + i] ?? 0) * weight;
    kept += 1 - (((deletions[doc >>> 3] ?? 0) >>> (doc & 7)) & 1);
  }
  matches.count = kept;
}

/**
 * Keeps matches that the postings have as well, and adds their scores. The number of words per document is not
 * updated.
 */
export function intersect(matches: Matches, postings: Postings, weight: number): void {
  if (postings.dense === undefined) {
    settle(matches);
    intersectSparse(matches, postings, weight);
  } else intersectDense(matches, postings.dense, weight);
}

function intersectDense(matches: Matches, dense: Uint8Array, weight: number): void {
  const { from, first, count, impacts, weight: firstWeight } = passOver(matches);
  const { docs, scores } = matches;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const doc = from[first + i] ?? 0;
    const impact = dense[doc] ?? 0;
    if (impact === 0) continue;
    const score = impacts === undefined ? (scores[i] ?? 0) : (impacts[first + i] ?? 0) * firstWeight;
    docs[kept] = doc;
    scores[kept++] = score + impact * weight;
  }
  matches.count = kept;
}

function intersectSparse(matches: Matches, postings: Postings, weight: number): void {
  const { docs, scores, count } = matches;
  const { docs: listed, impacts, end } = postings;
  const gallops = postingCount(postings) > count * gallopRatio;
  let at = postings.start;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    if (gallops) at = gallop(listed, at, end, doc);
    else while (at < end && (listed[at] ?? 0) < doc) at++;
    if (at === end) break;
    if (listed[at] === doc) {
      docs[kept] = doc;
      scores[kept++] = (scores[i] ?? 0) + (impacts[at] ?? 0) * weight;
    }
  }
  matches.count = kept;
}

/**
 * Keeps all matches and adds the scores of the postings that match; `share` is added to the cost of a document's
 * words.
 */
export function addScores(matches: Matches, postings: Postings, weight: number, share: number): void {
  settle(matches);
  if (postings.dense === undefined) addSparse(matches, postings, weight, share);
  else addDense(matches, postings.dense, weight, share);
}

function addDense(
  { docs, scores, words, count }: Matches,
  dense: Uint8Array,
  weight: number,
  share: number,
): void {
  for (let i = 0; i < count; i++) {
    const impact = dense[docs[i] ?? 0] ?? 0;
    if (impact === 0) continue;
    scores[i] = (scores[i] ?? 0) + impact * weight;
    words[i] = (words[i] ?? 0) + share;
  }
}

function addSparse(
  { docs, scores, words, count }: Matches,
  postings: Postings,
  weight: number,
  share: number,
): void {
  const { docs: listed, impacts, end } = postings;
  const gallops = postingCount(postings) > count * gallopRatio;
  let at = postings.start;
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    if (gallops) at = gallop(listed, at, end, doc);
    else while (at < end && (listed[at] ?? 0) < doc) at++;
    if (at === end) return;
    if (listed[at] === doc) {
      scores[i] = (scores[i] ?? 0) + (impacts[at] ?? 0) * weight;
      words[i] = (words[i] ?? 0) + share;
    }
  }
}

/** Joins the postings to the matches: the result has the documents of both, with the sum of the scores. */
export function unite(matches: Matches, postings: Postings, weight: number, share: number): void {
  settle(matches);
  matches.spare ??= createArrays(matches.docs.length);
  const { docs, scores, words, count, spare } = matches;
  const { docs: listed, impacts, end } = postings;
  const gallops = postingCount(postings) > count * gallopRatio;
  let at = postings.start;
  let out = 0;
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    let next = at;
    if (gallops) next = gallop(listed, at, end, doc);
    else while (next < end && (listed[next] ?? 0) < doc) next++;
    if (next > at) copyPostings(spare, out, postings, at, next, weight, share);
    out += next - at;
    const both = next < end && listed[next] === doc;
    spare.docs[out] = doc;
    spare.scores[out] = (scores[i] ?? 0) + (both ? (impacts[next] ?? 0) * weight : 0);
    spare.words[out++] = (words[i] ?? 0) + (both ? share : 0);
    at = both ? next + 1 : next;
  }
  copyPostings(spare, out, postings, at, end, weight, share);
  matches.count = out + end - at;
  matches.spare = { docs, scores, words };
  matches.docs = spare.docs;
  matches.scores = spare.scores;
  matches.words = spare.words;
}

const shortRun = 16;

function copyPostings(
  target: Pick<Matches, "docs" | "scores" | "words">,
  out: number,
  { docs, impacts }: Postings,
  from: number,
  to: number,
  weight: number,
  share: number,
): void {
  const { scores } = target;
  if (to - from > shortRun) {
    target.docs.set(docs.subarray(from, to), out);
    target.words.fill(share, out, out + to - from);
  } else {
    for (let at = from; at < to; at++) {
      target.docs[out + at - from] = docs[at] ?? 0;
      target.words[out + at - from] = share;
    }
  }
  for (let at = from; at < to; at++) scores[out + at - from] = (impacts[at] ?? 0) * weight;
}

/** Keeps the documents whose words reach this total cost. */
export function keepWithShare(matches: Matches, least: number): void {
  settle(matches);
  const { docs, scores, words, count } = matches;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    if ((words[i] ?? 0) < least) continue;
    docs[kept] = docs[i] ?? 0;
    words[kept] = words[i] ?? 0;
    scores[kept++] = scores[i] ?? 0;
  }
  matches.count = kept;
}

/** Keeps the documents that are not marked. */
export function keepUnmarked(matches: Matches, marked: Uint8Array): void {
  settle(matches);
  const { docs, scores, words, count } = matches;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    if (marked[doc] === 1) continue;
    docs[kept] = doc;
    words[kept] = words[i] ?? 0;
    scores[kept++] = scores[i] ?? 0;
  }
  matches.count = kept;
}

/** Keeps the documents that are in a sorted list, or those that are not. */
export function retain(matches: Matches, listed: Uint32Array, inList: boolean): void {
  settle(matches);
  const { docs, scores, words, count } = matches;
  let at = 0;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    at = gallop(listed, at, listed.length, doc);
    if ((at < listed.length && listed[at] === doc) !== inList) continue;
    docs[kept] = doc;
    words[kept] = words[i] ?? 0;
    scores[kept++] = scores[i] ?? 0;
  }
  matches.count = kept;
}

/** Matches without words: all have the same score. */
export function loadDocuments(matches: Matches, docs: Uint32Array): void {
  matches.deferred = undefined;
  matches.docs.set(docs);
  matches.scores.fill(0, 0, docs.length);
  matches.words.fill(0, 0, docs.length);
  matches.count = docs.length;
}
