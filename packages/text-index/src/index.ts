export type { DocumentFields, IndexDocument } from "./index-document.ts";
export { type Changes, createIndexWriter, type IndexWriter } from "./index-writer.ts";
export type { NameMatch } from "./name-finder.ts";
export type {
  FacetValue,
  SearchFilters,
  SearchQuery,
  SearchResult,
  SortKey,
  WordReading,
} from "./search-query.ts";
export type { SegmentHandle } from "./segment.ts";
export { createSegmentBuilder, type SegmentBuilder } from "./segment-builder.ts";
export { emptySnapshot, type Snapshot, type SnapshotSegment, snapshotOf } from "./snapshot.ts";
export { type ReadSnapshot, readSnapshot, writeSnapshot } from "./snapshot-files.ts";
export type { Steps } from "./steps.ts";
export { openIndex, type TextIndex } from "./text-index.ts";
export type { Vocabulary } from "./vocabulary.ts";
