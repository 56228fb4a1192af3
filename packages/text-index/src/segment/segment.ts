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
