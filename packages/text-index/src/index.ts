export {
  categoryFilterKey,
  externalDocuments,
  filterKeys,
  measureRanges,
  newToSample,
  numberRanges,
  type SampleSize,
} from "./external/external-documents.ts";
export {
  filterTerms,
  type NamedHit,
  numbersOf,
  rangeOf,
  readForEngine,
  type TermQuestion,
  type TermReading,
  type TermSteps,
  type TermWay,
  type TermWord,
  unknownTerms,
  withBounds,
} from "./external/external-search.ts";
export { planFacets } from "./facets/facet-plan.ts";
export { classesInRange, facetRanges } from "./facets/facet-rows.ts";
export { beginsWord, byDocuments, joinValues } from "./facets/frequent-values.ts";
export { hasNumberWithin } from "./facets/numeric-attributes.ts";
export { attributeKey, countAttributeNames } from "./facets/segment-tags.ts";
export { createDictionary, createWordFilter, isInFilter } from "./language/dictionary.ts";
export { english, type Language, type Languages } from "./language/language.ts";
export { includedLanguages } from "./language/languages.ts";
export {
  compileSynonyms,
  type ExplainedPhrase,
  explainSynonyms,
  formatSynonym,
  maxSynonymWords,
  parseSynonyms,
  type SynonymRule,
  type SynonymTable,
} from "./language/synonyms.ts";
export { detectLanguage, queryTerms } from "./query/plan-query.ts";
export { placePins, placesPins } from "./search/apply-rules.ts";
export { kindPoints } from "./search/matching.ts";
export { rerankedHits } from "./search/rank-hits.ts";
export {
  type AttributeFacet,
  type AttributeFilter,
  type AttributeRange,
  attributeOfSort,
  defaultOrder,
  type FacetKind,
  type FacetQuery,
  type FacetRequest,
  type Facets,
  type FacetValue,
  type FilterKey,
  facetKinds,
  facetNames,
  type GroupOfHits,
  isNumberSort,
  type KindFilter,
  type ListedFacet,
  type MeasureRange,
  type NamedSort,
  type NumberRange,
  namedSorts,
  type RangeBound,
  type RangeKind,
  type RuleBoost,
  type RulePin,
  type SearchFilters,
  type SearchQuery,
  type SearchResult,
  type SearchRules,
  type SortKey,
} from "./search/search-query.ts";
export { createSegmentBuilder, partDocuments, type SegmentBuilder } from "./segment/build/segment-builder.ts";
export { emptySnapshot, type SegmentHandle, type Snapshot, snapshotOf } from "./segment/segment.ts";
export {
  asStored,
  boundedNumbers,
  type DocumentFields,
  type DocumentNumber,
  fieldWeights,
  type IndexDocument,
  isNumberColumn,
  type NumberColumn,
  numberColumns,
  numberFilters,
} from "./segment/segment-layout.ts";
export { readSnapshot, writeSnapshot } from "./segment/snapshot-files.ts";
export type { Steps } from "./segment/steps.ts";
export { compareCodePoints } from "./segment/string-table.ts";
export { attributePrefix, pathKey, pathSeparator } from "./segment/tags.ts";
export type { Suggestions, SuggestQuery } from "./suggest/suggest.ts";
export { unitSpellings } from "./text/measure.ts";
export { nameKey } from "./text/tokenize.ts";
export { openIndex, type TextIndex } from "./text-index.ts";
export { OutOfTimeError, withinTime } from "./time-limit.ts";
export { createIndexWriter, type IndexWriter } from "./writer/index-writer.ts";
