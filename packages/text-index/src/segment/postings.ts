import type { Deletions } from "./deletions.ts";

/** The documents with a term, ascending, and its impact on each, in `[start, end)`. */
export interface Postings {
  readonly docs: Uint32Array;
  readonly impacts: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** The greatest impact of each block of `impacts`; absent if the list was made for one query. */
  readonly blocks: Uint8Array | undefined;
  /** For frequent terms also the impact on every document, 0 if the term is absent. */
  readonly dense: Uint8Array | undefined;
  /** Of a list that was united: which lists it has. The same ones give the same documents. */
  readonly united?: string | undefined;
}

export const noPostings: Postings = {
  docs: new Uint32Array(),
  impacts: new Uint8Array(),
  start: 0,
  end: 0,
  blocks: undefined,
  dense: undefined,
};

export function postingCount({ start, end }: Postings): number {
  return end - start;
}

/** How many of the ascending documents are in the list. */
export function countPostings({ docs: listed, start, end, dense }: Postings, docs: Uint32Array): number {
  let count = 0;
  let at = start;
  for (let i = 0; i < docs.length; i++) {
    const doc = docs[i] ?? 0;
    if (dense !== undefined) {
      if (dense[doc] !== 0) count++;
      continue;
    }
    at = gallop(listed, at, end, doc);
    if (at < end && listed[at] === doc) count++;
  }
  return count;
}

/** The number of deleted documents in the list. */
export function countDeleted({ docs, start, end }: Postings, deletions: Deletions): number {
  let count = 0;
  for (let at = start; at < end; at++) {
    const doc = docs[at] ?? 0;
    count += ((deletions[doc >>> 3] ?? 0) >>> (doc & 7)) & 1;
  }
  return count;
}

export function hasPosting({ docs, start, end }: Postings, doc: number): boolean {
  const at = gallop(docs, start, end, doc);
  return at < end && docs[at] === doc;
}

/** One bit per document, set if the list has it. */
export function bitsOfPostings({ docs, start, end }: Postings, documents: number): Uint8Array {
  const bits = new Uint8Array((documents + 7) >>> 3);
  for (let at = start; at < end; at++) {
    const doc = docs[at] ?? 0;
    bits[doc >>> 3] = (bits[doc >>> 3] ?? 0) | (1 << (doc & 7));
  }
  return bits;
}

/** Whether a document of the list has its bit set. */
export function hasBit({ docs, start, end }: Postings, bits: Uint8Array): boolean {
  for (let at = start; at < end; at++) {
    const doc = docs[at] ?? 0;
    if ((((bits[doc >>> 3] ?? 0) >>> (doc & 7)) & 1) === 1) return true;
  }
  return false;
}

/** The first index from `from` on whose value is not below `doc`, found by galloping search. */
export function gallop(listed: Uint32Array, from: number, end: number, doc: number): number {
  let low = from;
  let leap = 1;
  while (low + leap < end && (listed[low + leap] ?? 0) < doc) {
    low += leap;
    leap <<= 1;
  }
  let high = Math.min(low + leap, end);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((listed[middle] ?? 0) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
