import { keyLengths } from "./packed-keys.ts";
import type { PackedSize } from "./packed-postings.ts";
import type { SectionLengths, Sections } from "./segment-layout.ts";
import { countStrings, type FrontCodedStrings, type StringTable } from "./string-table.ts";

/** The names that documents share, which facets count. Each kind has a column of numbers and a table of strings. */
export const nameKinds = ["brands", "categories", "stores"] as const;
export type NameKind = (typeof nameKinds)[number];

/** The string tables of a segment. All are sorted by code point. */
export interface SegmentTables extends Readonly<Record<NameKind, StringTable>> {
  readonly terms: StringTable;
  readonly words: StringTable;
  /** How words of names are written: see spellings.ts. */
  readonly spellings: StringTable;
  /** Attributes and categories: see tags.ts. */
  readonly tags: StringTable;
  /** Those of at least one document that is not alone by definition. */
  readonly groups: FrontCodedStrings;
}

export interface SegmentSize {
  readonly documents: number;
  readonly hasLongPrices: boolean;
  readonly numberPlaces: Uint8Array;
  readonly nameWords: number;
  readonly postings: number;
  readonly packed: PackedSize;
  readonly frequentTerms: number;
  readonly denseTerms: number;
  readonly keys: number;
  /** Space for frequent phrases of names; 0 if they are not stored. */
  readonly phrases: number;
  /** The number of all documents' tags. */
  readonly tags: number;
  readonly tables: SegmentTables;
}

/** The length of every section of a segment of this size. */
export function sectionLengths({
  documents,
  hasLongPrices,
  numberPlaces,
  nameWords,
  postings,
  packed,
  frequentTerms,
  denseTerms,
  keys,
  phrases,
  tags,
  tables,
}: SegmentSize): SectionLengths {
  return {
    ids: documents,
    prices: hasLongPrices ? 0 : documents,
    longPrices: hasLongPrices ? documents : 0,
    ratings: documents,
    discounts: documents,
    numbers: documents * Math.max(...numberPlaces),
    numberPlaces: numberPlaces.length,
    qualities: documents,
    brands: documents,
    categories: documents,
    stores: documents,
    sources: documents,
    availabilities: documents,
    ties: documents,
    ...keyLengths(documents, keys),
    nameOffsets: documents + 1,
    nameWords,
    nameHeads: documents,
    postingOffsets: tables.terms.offsets.length,
    postingBlocks: tables.terms.offsets.length - 1,
    postingImpacts: postings,
    blockDocs: packed.widths.length,
    blockStarts: packed.widths.length,
    blockWidths: packed.widths.length,
    blockImpacts: packed.widths.length,
    gapWords: packed.words,
    denseTerms,
    denseImpacts: denseTerms * documents,
    wordTerms: tables.words.offsets.length - 1,
    termOffsets: tables.terms.offsets.length,
    termBytes: tables.terms.bytes.length,
    termNamed: tables.terms.offsets.length - 1,
    termThings: tables.terms.offsets.length - 1,
    frequentTerms,
    frequentNamed: frequentTerms,
    frequentThings: frequentTerms,
    wordOffsets: tables.words.offsets.length,
    wordBytes: tables.words.bytes.length,
    spellingOffsets: tables.spellings.offsets.length,
    spellingBytes: tables.spellings.bytes.length,
    spellingCounts: tables.spellings.offsets.length - 1,
    brandOffsets: tables.brands.offsets.length,
    brandBytes: tables.brands.bytes.length,
    categoryOffsets: tables.categories.offsets.length,
    categoryBytes: tables.categories.bytes.length,
    storeOffsets: tables.stores.offsets.length,
    storeBytes: tables.stores.bytes.length,
    phraseWords: phrases * wordsPerPhrase,
    phraseCounts: phrases,
    phraseSources: phrases,
    tagStarts: documents + 1,
    tagRows: tags,
    tagOffsets: tables.tags.offsets.length,
    tagBytes: tables.tags.bytes.length,
    groupNumbers: documents,
    groupOffsets: tables.groups.blockOffsets.length,
    groupBytes: tables.groups.bytes.length,
  };
}

/** The tables as views of the sections. */
export function tablesOf(sections: Sections): SegmentTables {
  return {
    terms: { offsets: sections.termOffsets, bytes: sections.termBytes },
    words: { offsets: sections.wordOffsets, bytes: sections.wordBytes },
    spellings: { offsets: sections.spellingOffsets, bytes: sections.spellingBytes },
    brands: { offsets: sections.brandOffsets, bytes: sections.brandBytes },
    categories: { offsets: sections.categoryOffsets, bytes: sections.categoryBytes },
    stores: { offsets: sections.storeOffsets, bytes: sections.storeBytes },
    tags: { offsets: sections.tagOffsets, bytes: sections.tagBytes },
    groups: {
      blockOffsets: sections.groupOffsets,
      bytes: sections.groupBytes,
      count: countStrings(sections.groupOffsets, sections.groupBytes),
    },
  };
}

export function writeTables(sections: Sections, tables: SegmentTables): void {
  const target = tablesOf(sections);
  for (const kind of ["terms", "words", "spellings", "tags", ...nameKinds] as const) {
    target[kind].offsets.set(tables[kind].offsets);
    target[kind].bytes.set(tables[kind].bytes);
  }
  target.groups.blockOffsets.set(tables.groups.blockOffsets);
  target.groups.bytes.set(tables.groups.bytes);
}

/** Maximum number of phrases in a segment; the most frequent of each source are kept. */
const maxPhrases = 65_536;
export const wordsPerPhrase = 3;
/** Marks a word that a phrase does not have. */
export const noWord = 0xffffffff;

/** How many phrases a segment with this many documents can hold. */
export function phraseRoom(documents: number): number {
  return Math.min(maxPhrases, 256 + (documents >>> 1));
}
