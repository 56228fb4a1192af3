import { type Postings, postingCount } from "../../segment/postings.ts";
import type { Deletions } from "../../segment/segment.ts";

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

export function createArrays(capacity: number) {
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
export function passOver(matches: Matches): Passage {
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
