import { type Sections, viewSections } from "./segment-layout.ts";
import { type SegmentTables, tablesOf } from "./segment-tables.ts";

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

  constructor(segment: Segment) {
    this.#ids = segment.sections.ids;
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(4, this.#ids.length * 2))));
    this.#ids.forEach((id, doc) => {
      let slot = this.#slotOf(id);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = doc + 1;
    });
  }

  /** The live document with this id, if any. */
  find(id: number, deletions: Deletions | undefined): number | undefined {
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
