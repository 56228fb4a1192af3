import { type Sections, viewSections } from "./segment-layout.ts";
import type { StringTable } from "./string-table.ts";

/** A segment as it travels between threads: the buffer is shared, never copied. */
export interface SegmentHandle {
  /** Tells segments apart: two handles with one key hold the same data. */
  readonly key: string;
  readonly buffer: SharedArrayBuffer;
}

/** An immutable set of documents with its vocabulary and postings. */
export interface Segment {
  readonly key: string;
  readonly buffer: SharedArrayBuffer;
  readonly sections: Sections;
  readonly documents: number;
  readonly terms: StringTable;
  readonly words: StringTable;
  readonly brands: StringTable;
  readonly categories: StringTable;
  readonly tieKeys: StringTable;
}

/** Opens a handle on this thread: a few views, no copying. Throws when the buffer is not a segment of this version. */
export function openSegment(handle: SegmentHandle): Segment {
  const sections = viewSections(handle.buffer);
  return {
    key: handle.key,
    buffer: handle.buffer,
    sections,
    documents: sections.ids.length,
    terms: { offsets: sections.termOffsets, bytes: sections.termBytes },
    words: { offsets: sections.wordOffsets, bytes: sections.wordBytes },
    brands: { offsets: sections.brandOffsets, bytes: sections.brandBytes },
    categories: { offsets: sections.categoryOffsets, bytes: sections.categoryBytes },
    tieKeys: { offsets: sections.tieKeyOffsets, bytes: sections.tieKeyBytes },
  };
}
