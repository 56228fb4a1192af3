import type { Deletions } from "./deletions.ts";

/** Where a term occurs: ascending documents and how much the term says about each, in `[start, end)`. */
export interface Postings {
  readonly docs: Uint32Array;
  readonly impacts: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** The greatest of each block of `impacts`; absent where the list was made for one query. */
  readonly blocks: Uint8Array | undefined;
  /** Of frequent terms also the impact on every document, 0 where the term is absent. */
  readonly dense: Uint8Array | undefined;
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

/** How many documents of the list were deleted. */
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

/** The first place from `from` on whose value is not below `doc`, in leaps that double. */
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
