import { checkedAtOnce, checkTime } from "../time-limit.ts";
import { MergeQueue } from "./merge-queue.ts";
import { type Sections, viewSections } from "./segment-layout.ts";
import { type SegmentTables, tablesOf } from "./segment-tables.ts";
import type { Steps } from "./steps.ts";

/** The form in which a segment is sent between threads: the buffer is shared, never copied. */
export interface SegmentHandle {
  /** Identifies the segment: two handles with the same key have the same data. */
  readonly key: string;
  readonly buffer: SharedArrayBuffer;
}

/** An immutable set of documents with its vocabulary and postings. */
export interface Segment extends SegmentTables {
  readonly key: string;
  readonly buffer: SharedArrayBuffer;
  readonly sections: Sections;
  readonly documents: number;
}

/** Opens a handle on this thread: a few views, no copying. Throws if the buffer is not a segment of this version. */
export function openSegment({ key, buffer }: SegmentHandle): Segment {
  const sections = viewSections(buffer);
  return {
    key,
    buffer,
    sections,
    documents: sections.ids.length,
    ...tablesOf(sections),
  };
}

/** One bit per document, set if it is deleted. Shared between threads; replaced, never changed. */
export type Deletions = Uint8Array;

export function isDeleted(deletions: Deletions, doc: number): boolean {
  return (((deletions[doc >>> 3] ?? 0) >>> (doc & 7)) & 1) === 1;
}

/** A copy in shared memory, for this many `documents`. */
export function copyDeletions(documents: number, from: Deletions | undefined): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer((documents + 7) >>> 3));
  if (from !== undefined) copy.set(from);
  return copy;
}

/** Marks a document; false if it was already marked. */
export function markDeleted(deletions: Uint8Array, doc: number): boolean {
  if (isDeleted(deletions, doc)) return false;
  deletions[doc >>> 3] = (deletions[doc >>> 3] ?? 0) | (1 << (doc & 7));
  return true;
}

/** The marked documents, in ascending order. */
export function deletedDocuments(deletions: Deletions | undefined): Uint32Array {
  const docs: number[] = [];
  deletions?.forEach((bits, i) => {
    for (let left = bits, doc = i << 3; left !== 0; left >>>= 1, doc++) if ((left & 1) === 1) docs.push(doc);
  });
  return Uint32Array.from(docs);
}

/** One segment of a snapshot, with the documents deleted from it since it was built. */
export interface SnapshotSegment extends SegmentHandle {
  readonly deletions: Deletions | undefined;
  readonly deletedCount: number;
}

/**
 * The whole index at one sequence: a plain object that `postMessage` sends to other threads without copying the data.
 * Immutable. A later snapshot shares the segments that did not change.
 */
export interface Snapshot {
  /** The caller's sequence number of the last change that is included. */
  readonly sequence: number;
  /** Largest (oldest) first. */
  readonly segments: readonly SnapshotSegment[];
  /** The codes of the languages with which it was built, where the one who publishes it tells them. */
  readonly languages?: readonly string[];
}

export const emptySnapshot: Snapshot = { sequence: 0, segments: [] };

/** A snapshot of one new segment. */
export function snapshotOf(segment: SegmentHandle, sequence: number): Snapshot {
  return { sequence, segments: [{ ...segment, deletions: undefined, deletedCount: 0 }] };
}

/** Finds a segment's document by its id: open addressing in one Uint32Array, 8 to 16 bytes per document. */
export class IdTable {
  readonly #slots: Uint32Array;
  readonly #ids: Uint32Array;
  /** The documents before it are in the table. */
  #next = 0;

  constructor(segment: Segment) {
    this.#ids = segment.sections.ids;
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(4, this.#ids.length * 2))));
  }

  /** A search that has no more time for the rest leaves it to the next one. */
  #fill(): void {
    const slots = this.#slots;
    for (; this.#next < this.#ids.length; this.#next++) {
      if (this.#next % checkedAtOnce === 0) checkTime();
      let slot = this.#slotOf(this.#ids[this.#next] ?? 0);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = this.#next + 1;
    }
  }

  /** The live document with this id, if any. */
  find(id: number, deletions: Deletions | undefined): number | undefined {
    this.#fill();
    let slot = this.#slotOf(id);
    for (let found = this.#slots[slot] ?? 0; found !== 0; found = this.#slots[slot] ?? 0) {
      if (this.#ids[found - 1] === id) {
        return deletions !== undefined && isDeleted(deletions, found - 1) ? undefined : found - 1;
      }
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    return undefined;
  }

  #slotOf(id: number): number {
    return (Math.imul(id, 0x9e3779b1) >>> 0) & (this.#slots.length - 1);
  }
}

export interface MergeInput {
  readonly segment: Segment;
  readonly deletions: Deletions | undefined;
}

/** The position of a deleted document. */
export const deletedDocument = 0xffffffff;
const documentsBetweenPauses = 20_000;

/** The order of the live documents of several segments after a merge. */
export interface DocumentOrder {
  /** For each document of the result, its input segment. The order within an input does not change. */
  readonly from: Uint16Array;
  readonly placeOf: readonly Uint32Array[];
}

export function* mergeDocuments(inputs: readonly MergeInput[]): Steps<DocumentOrder> {
  const placeOf = inputs.map(({ segment }) => new Uint32Array(segment.documents).fill(deletedDocument));
  const from = new Uint16Array(inputs.reduce((sum, { segment }) => sum + segment.documents, 0));
  const segments = inputs.map(({ segment }) => segment);
  const next = inputs.map((input) => nextLive(input, 0));
  const hasMore = (i: number) => (next[i] ?? 0) < (inputs[i]?.segment.documents ?? 0);
  const queue = new MergeQueue([...inputs.keys()].filter(hasMore), (one, other) => {
    const a = segments[one];
    const b = segments[other];
    return a === undefined || b === undefined ? 0 : compareDocuments(a, next[one] ?? 0, b, next[other] ?? 0);
  });
  let count = 0;
  for (let i = queue.first; i !== undefined; i = queue.first) {
    const input = inputs[i];
    const places = placeOf[i];
    if (input === undefined || places === undefined) break;
    const doc = next[i] ?? 0;
    places[doc] = count;
    from[count++] = i;
    next[i] = nextLive(input, doc + 1);
    queue.advance(hasMore(i));
    if (count % documentsBetweenPauses === 0) yield;
  }
  return { from: from.slice(0, count), placeOf };
}

function nextLive({ segment, deletions }: MergeInput, from: number): number {
  let doc = from;
  if (deletions !== undefined) while (doc < segment.documents && isDeleted(deletions, doc)) doc++;
  return doc;
}

/** The order of documents: quality, best first, then tie. The same across segments. */
export function compareDocuments(a: Segment, docA: number, b: Segment, docB: number): number {
  const { qualities, ties, ids } = a.sections;
  const others = b.sections;
  return (
    (others.qualities[docB] ?? 0) - (qualities[docA] ?? 0) ||
    (ties[docA] ?? 0) - (others.ties[docB] ?? 0) ||
    (ids[docA] ?? 0) - (others.ids[docB] ?? 0)
  );
}
