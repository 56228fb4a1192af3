import { randomUUID } from "node:crypto";
import { english, type Language } from "../language/language.ts";
import { MergeQueue } from "../segment/merge-queue.ts";
import { fillPhrases } from "../segment/mine-phrases.ts";
import {
  denseTerms,
  fillDense,
  measurePostings,
  type PlainList,
  packPostings,
  readDocs,
  readDocsInto,
} from "../segment/packed-postings.ts";
import { countKeys, mergeKeys, takeMarked } from "../segment/postings.ts";
import {
  type DocumentOrder,
  deletedDocument,
  type MergeInput,
  mergeDocuments,
  type SegmentHandle,
} from "../segment/segment.ts";
import {
  allocateSections,
  numberPlaces,
  pricesOf,
  type Sections,
  storedNumbers,
} from "../segment/segment-layout.ts";
import {
  type NameKind,
  nameKinds,
  phraseRoom,
  sectionLengths,
  writeTables,
} from "../segment/segment-tables.ts";
import { countFoldedWords, liveSpellings } from "../segment/spellings.ts";
import type { Steps } from "../segment/steps.ts";
import {
  compareStringsAt,
  type FrontCodedStrings,
  frontCode,
  type StringTable,
  stringCount,
  unpackStrings,
} from "../segment/string-table.ts";
import { fillTermRoles, frequentTerms } from "../segment/term-roles.ts";

export interface BuilderOptions {
  /** Stores the frequent phrases of names, which are used to complete queries. Default: true. */
  readonly phrases?: boolean;
  /** Those of the documents; the first one is that of documents without a language. Default: English. */
  readonly languages?: readonly Language[];
}

export interface Merged {
  readonly handle: SegmentHandle;
  /** For each input, the new positions of its documents; `deletedDocument` for deleted ones. */
  readonly placeOf: readonly Uint32Array[];
}

interface MergedGroups {
  readonly strings: FrontCodedStrings;
  readonly placeOf: TableMerge["placeOf"];
}

const stepsBetweenPauses = 20_000;

/**
 * Merges segments into one, without their deleted documents. It pauses (yields) every few milliseconds, so that the
 * thread can apply updates meanwhile. The order within each input does not change, so every list is merged linearly,
 * without sorting.
 */
export function* mergeSegments(
  inputs: readonly MergeInput[],
  { phrases = true, languages = [english] }: BuilderOptions = {},
): Steps<Merged> {
  const order = yield* mergeDocuments(inputs);
  const liveTerms = yield* countLivePostings(inputs, order.placeOf);
  const terms = yield* mergeTables(
    inputs.map(({ segment }, i) => ({
      table: segment.terms,
      keep: (term) => (liveTerms[i]?.[term] ?? 0) > 0,
    })),
  );
  const words = yield* mergeTables(
    inputs.map(({ segment }, i) => ({
      table: segment.words,
      keep: (word) => terms.placeOf[i]?.[segment.sections.wordTerms[word] ?? 0] !== deletedDocument,
    })),
  );
  const names = {
    brands: yield* mergeNames(inputs, order.placeOf, "brands"),
    categories: yield* mergeNames(inputs, order.placeOf, "categories"),
    stores: yield* mergeNames(inputs, order.placeOf, "stores"),
  };
  const spellings = yield* mergeSpellings(inputs, order.placeOf);
  const tags = yield* mergeUsed(inputs, order.placeOf, "tags");
  const groups = yield* mergeGroups(inputs, order.placeOf);
  const tables = {
    tags: tags.table,
    groups: groups.strings,
    terms: terms.table,
    words: words.table,
    spellings: spellings.table,
    brands: names.brands.table,
    categories: names.categories.table,
    stores: names.stores.table,
  };
  const documentsOfTerm = addUp(liveTerms, terms);
  const frequent = frequentTerms(documentsOfTerm, tables, languages);
  const dense = denseTerms(documentsOfTerm, order.from.length);
  // Merging the lists twice is fast, and keeping them before their size is known takes more memory than the packed ones.
  const lists = () => mergedLists(inputs, order.placeOf, terms, liveTerms, documentsOfTerm);
  const packed = yield* measurePostings(documentsOfTerm, lists());
  const places = numberPlaces((column) =>
    inputs.some(({ segment: { sections: of } }) => of.numberPlaces[column] !== 0),
  );
  const { buffer, sections } = allocateSections(
    sectionLengths({
      documents: order.from.length,
      hasLongPrices: inputs.some(({ segment: { sections: of } }) => of.longPrices.length > 0),
      numberPlaces: places,
      nameWords: sumOver(inputs, order, ({ nameOffsets }, doc) => span(nameOffsets, doc)),
      postings: documentsOfTerm.reduce((sum, documents) => sum + documents, 0),
      packed,
      frequentTerms: frequent.length,
      denseTerms: dense.length,
      keys: countKeys(inputs, order.placeOf),
      phrases: phrases ? phraseRoom(order.from.length) : 0,
      tags: sumOver(inputs, order, ({ tagStarts }, doc) => span(tagStarts, doc)),
      tables,
    }),
  );
  writeTables(sections, tables);
  sections.numberPlaces.set(places);
  sections.frequentTerms.set(frequent);
  sections.denseTerms.set(dense);
  inputs.forEach(({ segment }, i) => {
    segment.sections.wordTerms.forEach((term, word) => {
      const place = words.placeOf[i]?.[word] ?? deletedDocument;
      if (place !== deletedDocument) sections.wordTerms[place] = terms.placeOf[i]?.[term] ?? 0;
    });
  });
  yield* copyDocuments(inputs, order, sections, words, names);
  sections.spellingCounts.set(spellings.counts);
  yield* countFoldedWords(sections);
  yield* copyTags(inputs, order, sections, tags);
  yield* copyGroups(inputs, order, sections, groups);
  yield* mergeKeys(inputs, order.placeOf, sections);
  yield* packPostings(sections, lists(), packed);
  yield* fillDense(sections);
  yield* fillTermRoles(sections, languages);
  yield* fillPhrases(sections);
  return { handle: { key: randomUUID(), buffer }, placeOf: order.placeOf };
}

/** The number of documents with each term of the result. */
function addUp(liveTerms: readonly Uint32Array[], { table, placeOf }: TableMerge): Uint32Array {
  const sums = new Uint32Array(table.offsets.length - 1);
  liveTerms.forEach((live, i) => {
    live.forEach((count, term) => {
      const place = placeOf[i]?.[term] ?? deletedDocument;
      if (place !== deletedDocument) sums[place] = (sums[place] ?? 0) + count;
    });
  });
  return sums;
}

function* countLivePostings(
  inputs: readonly MergeInput[],
  placeOf: readonly Uint32Array[],
): Steps<Uint32Array[]> {
  const counts: Uint32Array[] = [];
  for (const [i, { segment, deletions }] of inputs.entries()) {
    const { postingOffsets } = segment.sections;
    const places = placeOf[i] ?? new Uint32Array();
    const live = new Uint32Array(postingOffsets.length - 1);
    let steps = 0;
    for (let term = 0; term < live.length; term++) {
      const start = postingOffsets[term] ?? 0;
      const end = postingOffsets[term + 1] ?? 0;
      if (deletions === undefined) live[term] = end - start;
      else
        for (const doc of readDocs(segment.sections, term))
          if (places[doc] !== deletedDocument) live[term] = (live[term] ?? 0) + 1;
      steps += deletions === undefined ? 1 : end - start;
      if (steps > stepsBetweenPauses * 10) {
        steps = 0;
        yield;
      }
    }
    counts.push(live);
  }
  return counts;
}

/** Brands, categories or stores, except those that no live document has. */
function* mergeNames(
  inputs: readonly MergeInput[],
  placeOf: readonly Uint32Array[],
  kind: NameKind,
): Steps<TableMerge> {
  const used = inputs.map(({ segment }, i) => {
    const marks = new Uint8Array(segment[kind].offsets.length);
    segment.sections[kind].forEach((name, doc) => {
      if (placeOf[i]?.[doc] !== deletedDocument) marks[name] = 1;
    });
    return marks;
  });
  yield;
  return yield* mergeTables(
    inputs.map(({ segment }, i) => ({ table: segment[kind], keep: (name) => used[i]?.[name] === 1 })),
  );
}

/** Spellings that names of live documents have, and of each word the entry of its folded form. */
function* mergeSpellings(
  inputs: readonly MergeInput[],
  placeOf: readonly Uint32Array[],
): Steps<{ table: StringTable; counts: Uint32Array }> {
  const live: Uint32Array[] = [];
  for (const [i, input] of inputs.entries())
    live.push(yield* liveSpellings(input, placeOf[i] ?? new Uint32Array()));
  const { table, placeOf: places } = yield* mergeTables(
    inputs.map(({ segment, deletions }, i) => ({
      table: segment.spellings,
      keep: (entry) => deletions === undefined || (live[i]?.[entry] ?? 0) > 0,
    })),
  );
  const counts = new Uint32Array(stringCount(table));
  live.forEach((some, i) => {
    some.forEach((count, at) => {
      const place = places[i]?.[at] ?? deletedDocument;
      if (place !== deletedDocument) counts[place] = (counts[place] ?? 0) + count;
    });
  });
  return { table, counts };
}

/** Tags or groups, except those that no live document has. */
function* mergeUsed(
  inputs: readonly MergeInput[],
  placeOf: readonly Uint32Array[],
  kind: "tags" | "groups",
): Steps<TableMerge> {
  const used: Uint8Array[] = [];
  for (const [i, { segment }] of inputs.entries()) {
    const marks = new Uint8Array(kind === "groups" ? segment.groups.count : stringCount(segment.tags));
    const { tagStarts, groupNumbers } = segment.sections;
    for (let doc = 0; doc < segment.documents; doc++) {
      if (placeOf[i]?.[doc] === deletedDocument) continue;
      // The number of a document that is alone is beyond the marks.
      if (kind === "groups") marks[groupNumbers[doc] ?? 0] = 1;
      else
        for (let at = tagStarts[doc] ?? 0; at < (tagStarts[doc + 1] ?? 0); at++)
          marks[segment.sections.tagRows[at] ?? 0] = 1;
      if (doc % stepsBetweenPauses === 0) yield;
    }
    used.push(marks);
  }
  return yield* mergeTables(
    inputs.map(({ segment }, i) => ({
      table: kind === "groups" ? unpackStrings(segment.groups) : segment.tags,
      keep: (index) => used[i]?.[index] === 1,
    })),
  );
}

/** Their plain table takes much memory, so it is not kept. */
function* mergeGroups(inputs: readonly MergeInput[], placeOf: readonly Uint32Array[]): Steps<MergedGroups> {
  const { table, placeOf: places } = yield* mergeUsed(inputs, placeOf, "groups");
  return { strings: frontCode(table), placeOf: places };
}

/** Both tables are sorted, so that the new numbers of a document's tags ascend as well. */
function* copyTags(
  inputs: readonly MergeInput[],
  order: DocumentOrder,
  target: Sections,
  tags: TableMerge,
): Steps<void> {
  const rows = target.tagRows;
  let rowAt = 0;
  for (const { i, doc, place } of liveDocuments(inputs, order)) {
    const segment = inputs[i]?.segment;
    if (segment === undefined) continue;
    const { tagStarts } = segment.sections;
    for (let at = tagStarts[doc] ?? 0; at < (tagStarts[doc + 1] ?? 0); at++)
      rows[rowAt++] = tags.placeOf[i]?.[segment.sections.tagRows[at] ?? 0] ?? 0;
    target.tagStarts[place + 1] = rowAt;
    if (place % stepsBetweenPauses === 0) yield;
  }
}

function* copyGroups(
  inputs: readonly MergeInput[],
  order: DocumentOrder,
  target: Sections,
  groups: MergedGroups,
): Steps<void> {
  let alone = groups.strings.count;
  for (const { i, doc, place } of liveDocuments(inputs, order)) {
    const segment = inputs[i]?.segment;
    if (segment === undefined) continue;
    const number = segment.sections.groupNumbers[doc] ?? 0;
    const isAlone = number >= segment.groups.count;
    target.groupNumbers[place] = isAlone ? alone++ : (groups.placeOf[i]?.[number] ?? 0);
    if (place % stepsBetweenPauses === 0) yield;
  }
}

/** Where each document of the result comes from, in their order. */
function* liveDocuments(
  inputs: readonly MergeInput[],
  { from, placeOf }: DocumentOrder,
): Generator<{ i: number; doc: number; place: number }> {
  const next = inputs.map(() => 0);
  for (let place = 0; place < from.length; place++) {
    const i = from[place] ?? 0;
    let doc = next[i] ?? 0;
    while (placeOf[i]?.[doc] === deletedDocument) doc++;
    next[i] = doc + 1;
    yield { i, doc, place };
  }
}

function span(offsets: Uint32Array, index: number): number {
  return (offsets[index + 1] ?? 0) - (offsets[index] ?? 0);
}

function sumOver(
  inputs: readonly MergeInput[],
  { placeOf }: DocumentOrder,
  size: (sections: Sections, doc: number) => number,
): number {
  let sum = 0;
  inputs.forEach(({ segment }, i) => {
    placeOf[i]?.forEach((place, doc) => {
      if (place !== deletedDocument) sum += size(segment.sections, doc);
    });
  });
  return sum;
}

function* copyDocuments(
  inputs: readonly MergeInput[],
  { from, placeOf }: DocumentOrder,
  target: Sections,
  words: TableMerge,
  names: Readonly<Record<NameKind, TableMerge>>,
): Steps<void> {
  const next = inputs.map(() => 0);
  const numbers = storedNumbers(target);
  const prices = pricesOf(target);
  const pricesFrom = inputs.map(({ segment }) => pricesOf(segment.sections));
  const numbersOf = inputs.map(({ segment }) => storedNumbers(segment.sections));
  let nameAt = 0;
  for (let place = 0; place < from.length; place++) {
    const i = from[place] ?? 0;
    const source = inputs[i]?.segment.sections;
    const places = placeOf[i];
    if (source === undefined || places === undefined) continue;
    let doc = next[i] ?? 0;
    while (places[doc] === deletedDocument) doc++;
    next[i] = doc + 1;
    target.ids[place] = source.ids[doc] ?? 0;
    prices[place] = pricesFrom[i]?.[doc] ?? 0;
    target.ratings[place] = source.ratings[doc] ?? 0;
    target.discounts[place] = source.discounts[doc] ?? 0;
    numbers.forEach((column, number) => {
      if (column !== undefined) column[place] = numbersOf[i]?.[number]?.[doc] ?? Number.NaN;
    });
    target.qualities[place] = source.qualities[doc] ?? 0;
    target.ties[place] = source.ties[doc] ?? 0;
    target.sources[place] = source.sources[doc] ?? 0;
    target.availabilities[place] = source.availabilities[doc] ?? 0;
    for (const kind of nameKinds) target[kind][place] = names[kind].placeOf[i]?.[source[kind][doc] ?? 0] ?? 0;
    for (let at = source.nameOffsets[doc] ?? 0; at < (source.nameOffsets[doc + 1] ?? 0); at++) {
      target.nameWords[nameAt++] = words.placeOf[i]?.[source.nameWords[at] ?? 0] ?? 0;
    }
    target.nameOffsets[place + 1] = nameAt;
    target.nameHeads[place] = source.nameHeads[doc] ?? 0;
    if (place % stepsBetweenPauses === 0) yield;
  }
}

/**
 * The lists of the result. For most terms one input has nearly all postings, so the lists are joined one after the other; long
 * ones of many inputs would be moved again with each, so their documents are marked and read back in order.
 */
function* mergedLists(
  inputs: readonly MergeInput[],
  placeOf: readonly Uint32Array[],
  terms: TableMerge,
  liveTerms: readonly Uint32Array[],
  documentsOfTerm: Uint32Array,
): Generator<PlainList> {
  const most = documentsOfTerm.reduce((greatest, documents) => Math.max(greatest, documents), 0);
  const list = { docs: new Uint32Array(most), impacts: new Uint8Array(most), start: 0, end: 0 };
  const listed = new Uint32Array(Math.max(0, ...inputs.map(({ segment }) => segment.documents)));
  const isOfMany = inputs.length > stepsOfMarked;
  const marked = new MarkedDocuments(
    isOfMany ? inputs.reduce((sum, { segment }) => sum + segment.documents, 0) : 0,
  );
  const next = terms.placeOf.map((places) => nextTerm(places, 0));
  const placeOfNext = (i: number) => terms.placeOf[i]?.[next[i] ?? 0] ?? deletedDocument;
  const hasMore = (i: number) => (next[i] ?? 0) < (terms.placeOf[i]?.length ?? 0);
  const queue = new MergeQueue(
    [...inputs.keys()].filter(hasMore),
    (one, other) => placeOfNext(one) - placeOfNext(other),
  );
  for (let place = 0; place < documentsOfTerm.length; place++) {
    const documents = documentsOfTerm[place] ?? 0;
    list.end = 0;
    const isMarked = isOfMany && marked.isFaster(documents, inputs.length);
    for (let i = queue.first; i !== undefined && placeOfNext(i) === place; i = queue.first) {
      const source = inputs[i]?.segment.sections;
      const places = placeOf[i];
      const termPlaces = terms.placeOf[i];
      if (source === undefined || places === undefined || termPlaces === undefined) break;
      const term = next[i] ?? 0;
      next[i] = nextTerm(termPlaces, term + 1);
      queue.advance(hasMore(i));
      readDocsInto(source, term, listed);
      const start = source.postingOffsets[term] ?? 0;
      const count = (source.postingOffsets[term + 1] ?? 0) - start;
      if (isMarked) marked.add(listed, count, places, source.postingImpacts, start);
      else joinList(list, listed, count, places, source.postingImpacts, start, liveTerms[i]?.[term] ?? 0);
    }
    if (isMarked) marked.moveTo(list, documents);
    yield list;
  }
}

function nextTerm(places: Uint32Array, from: number): number {
  let term = from;
  while (term < places.length && places[term] === deletedDocument) term++;
  return term;
}

/** What marking a document and reading it back takes, beside moving it once. */
const stepsOfMarked = 6;

/** Documents of a list in any order, each with its impact. */
class MarkedDocuments {
  readonly #impacts: Uint8Array;
  readonly #marks: Uint32Array;

  constructor(documents: number) {
    this.#impacts = new Uint8Array(documents);
    this.#marks = new Uint32Array((documents + 31) >>> 5);
  }

  /** Reading them back passes over the marks of all documents; joining lists moves half of the postings with each. */
  isFaster(postings: number, lists: number): boolean {
    return postings * (lists - stepsOfMarked) > this.#marks.length;
  }

  add(docs: Uint32Array, count: number, places: Uint32Array, impacts: Uint8Array, start: number): void {
    for (let at = 0; at < count; at++) {
      const doc = places[docs[at] ?? 0] ?? deletedDocument;
      if (doc === deletedDocument) continue;
      this.#impacts[doc] = impacts[start + at] ?? 0;
      this.#marks[doc >>> 5] = (this.#marks[doc >>> 5] ?? 0) | (1 << (doc & 31));
    }
  }

  /** In ascending order; there are `count`. */
  moveTo(list: PlainList, count: number): void {
    takeMarked(this.#marks, list.docs, count);
    for (let at = 0; at < count; at++) list.impacts[at] = this.#impacts[list.docs[at] ?? 0] ?? 0;
    list.end = count;
  }
}

/** An inner loop, from the end on: postings of the list move up before their space is used. */
function joinList(
  list: PlainList,
  listed: Uint32Array,
  count: number,
  places: Uint32Array,
  listedImpacts: Uint8Array,
  start: number,
  live: number,
): void {
  const { docs, impacts } = list;
  let old = list.end - 1;
  list.end += live;
  let write = list.end - 1;
  for (let at = count - 1; at >= 0; at--) {
    const doc = places[listed[at] ?? 0] ?? deletedDocument;
    if (doc === deletedDocument) continue;
    while (old >= 0 && (docs[old] ?? 0) > doc) {
      docs[write] = docs[old] ?? 0;
      impacts[write--] = impacts[old--] ?? 0;
    }
    docs[write] = doc;
    impacts[write--] = listedImpacts[start + at] ?? 0;
  }
}

interface TableMerge {
  readonly table: StringTable;
  /** For each input, the new numbers of its strings; 0xffffffff for strings that are not kept. */
  readonly placeOf: readonly Uint32Array[];
}

interface TableInput {
  readonly table: StringTable;
  readonly keep: (index: number) => boolean;
}

const deletedRow = 0xffffffff;
const stringsBetweenPauses = 10_000;

/** Merges sorted tables into one sorted table without duplicates. Yields every few milliseconds. */
function* mergeTables(inputs: readonly TableInput[]): Steps<TableMerge> {
  const placeOf = inputs.map(({ table }) => new Uint32Array(stringCount(table)).fill(deletedRow));
  const next = inputs.map((input) => nextKept(input, 0));
  const hasMore = (i: number) => (next[i] ?? 0) < (placeOf[i]?.length ?? 0);
  const queue = new MergeQueue([...inputs.keys()].filter(hasMore), (one, other) => {
    const a = inputs[one]?.table;
    const b = inputs[other]?.table;
    return a === undefined || b === undefined ? 0 : compareStringsAt(a, next[one] ?? 0, b, next[other] ?? 0);
  });
  const offsets = new Uint32Array(inputs.reduce((sum, { table }) => sum + stringCount(table), 1));
  const bytes = new Uint8Array(inputs.reduce((sum, { table }) => sum + table.bytes.length, 0));
  const merged = { offsets, bytes };
  let count = 0;
  let length = 0;
  for (let i = queue.first; i !== undefined; i = queue.first) {
    const input = inputs[i];
    const places = placeOf[i];
    if (input === undefined || places === undefined) break;
    const at = next[i] ?? 0;
    if (count === 0 || compareStringsAt(merged, count - 1, input.table, at) !== 0) {
      const end = input.table.offsets[at + 1] ?? 0;
      for (let from = input.table.offsets[at] ?? 0; from < end; from++)
        bytes[length++] = input.table.bytes[from] ?? 0;
      offsets[++count] = length;
      if (count % stringsBetweenPauses === 0) yield;
    }
    places[at] = count - 1;
    next[i] = nextKept(input, at + 1);
    queue.advance(hasMore(i));
  }
  return { table: { offsets: offsets.slice(0, count + 1), bytes: bytes.slice(0, length) }, placeOf };
}

function nextKept({ table, keep }: TableInput, from: number): number {
  let index = from;
  while (index < stringCount(table) && !keep(index)) index++;
  return index;
}
