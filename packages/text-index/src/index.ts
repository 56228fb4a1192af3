export { createDictionary, type Dictionary, type HunspellFiles } from "./language/dictionary.ts";
export { englishSynonyms } from "./language/english-synonyms.ts";
export { type ExplainedPhrase, explainSynonyms } from "./language/explain-synonyms.ts";
export { english, type Language } from "./language/language.ts";
export {
  compileSynonyms,
  formatSynonym,
  parseSynonyms,
  type SynonymRule,
  type SynonymTable,
} from "./language/synonyms.ts";
export type { NameMatch } from "./names/name-finder.ts";
export type { Vocabulary } from "./names/vocabulary.ts";
export {
  type FacetKind,
  type FacetRange,
  type FacetRequest,
  type Facets,
  type FacetValue,
  facetKinds,
  type SearchFilters,
  type SearchQuery,
  type SearchResult,
  type SortKey,
  type WordReading,
} from "./search/search-query.ts";
export type { DocumentFields, IndexDocument } from "./segment/index-document.ts";
export type { SegmentHandle } from "./segment/segment.ts";
export { createSegmentBuilder, type SegmentBuilder } from "./segment/segment-builder.ts";
export { emptySnapshot, type Snapshot, type SnapshotSegment, snapshotOf } from "./segment/snapshot.ts";
export { type ReadSnapshot, readSnapshot, writeSnapshot } from "./segment/snapshot-files.ts";
export type { Steps } from "./segment/steps.ts";
export { openIndex, type TextIndex } from "./text-index.ts";
export { type Changes, createIndexWriter, type IndexWriter } from "./writer/index-writer.ts";
