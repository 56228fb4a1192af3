import { randomUUID } from "node:crypto";
import { english } from "../../language/language.ts";
import { type BuilderOptions, mergeSegments } from "../../writer/merge-segments.ts";
import { fillPhrases } from "../mine-phrases.ts";
import {
  denseTerms,
  fillDense,
  measurePostings,
  offsetsOf,
  type PlainList,
  packPostings,
} from "../packed-postings.ts";
import { fillKeys } from "../postings.ts";
import { openSegment, type SegmentHandle } from "../segment.ts";
import type { IndexDocument } from "../segment-layout.ts";
import { allocateSections, numberPlaces, pricesOf, type Sections, storedNumbers } from "../segment-layout.ts";
import { type NameKind, nameKinds, phraseRoom, sectionLengths, writeTables } from "../segment-tables.ts";
import { countFoldedWords } from "../spellings.ts";
import { finish, type Steps } from "../steps.ts";
import { frontCode, packStrings } from "../string-table.ts";
import { fillTermRoles, frequentTerms } from "../term-roles.ts";
import { CollectedDocuments, mapKinds, noGroup } from "./collected-documents.ts";

/** Collects documents and turns them into an immutable segment. */
export interface SegmentBuilder {
  /** The `id` must be new. */
  add(document: IndexDocument): void;
  readonly documents: number;
  /** Builds the segment; the builder cannot be used afterwards. */
  build(): SegmentHandle;
  /** The same with pauses. */
  buildInSteps(): Steps<SegmentHandle>;
  /** A part for `addPart` of another builder, perhaps in another thread; the builder cannot be used afterwards. */
  buildPart(): SegmentHandle;
  addPart(part: SegmentHandle): void;
}

/**
 * Collected documents take more memory than a segment, so of many documents parts are built, and merged at the end.
 * It takes no longer either: tables of a part stay in the processor's caches.
 */
export const partDocuments = 65_536;

export function createSegmentBuilder(
  options: BuilderOptions = {},
  maxCollected = partDocuments,
): SegmentBuilder {
  return new Builder(options, maxCollected);
}

class Builder implements SegmentBuilder {
  readonly #options: BuilderOptions;
  readonly #maxCollected: number;
  readonly #parts: SegmentHandle[] = [];
  #collected: CollectedDocuments;
  documents = 0;

  constructor(options: BuilderOptions, maxCollected: number) {
    this.#options = options;
    this.#maxCollected = maxCollected;
    this.#collected = new CollectedDocuments(options.languages);
  }

  add(document: IndexDocument): void {
    if (this.#collected.count >= this.#maxCollected) finish(this.#buildPart());
    this.#collected.add(document);
    this.documents++;
  }

  build(): SegmentHandle {
    return finish(this.buildInSteps());
  }

  buildPart(): SegmentHandle {
    return finish(this.#segmentOfPart());
  }

  addPart(part: SegmentHandle): void {
    this.#parts.push(part);
    this.documents += openSegment(part).documents;
  }

  *buildInSteps(): Steps<SegmentHandle> {
    if (this.#parts.length === 0) return yield* buildSegment(this.#collected, this.#options);
    if (this.#collected.count > 0) yield* this.#buildPart();
    const inputs = this.#parts
      .splice(0)
      .map((handle) => ({ segment: openSegment(handle), deletions: undefined }));
    const { handle } = yield* mergeSegments(inputs, this.#options);
    return handle;
  }

  *#buildPart(): Steps<void> {
    const part = yield* this.#segmentOfPart();
    this.#parts.push(part);
  }

  *#segmentOfPart(): Steps<SegmentHandle> {
    const collected = this.#collected;
    this.#collected = new CollectedDocuments(this.#options.languages);
    return yield* buildSegment(collected, { ...this.#options, phrases: false }, true);
  }
}

/** A part lacks what only searches need. */
function* buildSegment(
  collected: CollectedDocuments,
  { phrases = true, languages = [english] }: BuilderOptions,
  isPart = false,
): Steps<SegmentHandle> {
  const order = segmentOrder(collected);
  yield;
  const terms = collected.texts.terms.sorted();
  yield;
  const words = collected.texts.words.sorted();
  yield;
  const names = mapKinds((kind) => collected.names[kind].sorted());
  const spellings = collected.spellings.entries();
  const tags = collected.tagTexts.sorted();
  const groups = collected.groups.sorted();
  const tables = {
    terms: packStrings(terms.strings),
    words: packStrings(words.strings),
    spellings: packStrings(spellings.map(([entry]) => entry)),
    tags: packStrings(tags.strings),
    groups: frontCode(packStrings(groups.strings)),
    ...mapKinds((kind) => packStrings(names[kind].strings)),
  };
  yield;
  const documentsOfTerm = new Uint32Array(terms.strings.length);
  collected.documentsOfTerm.forEach((documents, term) => {
    documentsOfTerm[terms.placeOf[term] ?? 0] = documents;
  });
  const frequent = frequentTerms(documentsOfTerm, tables, languages);
  const dense = isPart ? new Uint32Array() : denseTerms(documentsOfTerm, order.length);
  const lists = sortPostings(collected, documentsOfTerm, order, terms.placeOf);
  yield;
  const packed = yield* measurePostings(documentsOfTerm, lists());
  const places = numberPlaces((column) => collected.knownNumbers.has(column));
  const { buffer, sections } = allocateSections(
    sectionLengths({
      documents: order.length,
      hasLongPrices: collected.hasLongPrices,
      numberPlaces: places,
      nameWords: collected.nameWords.length,
      postings: collected.postingTerms.length,
      packed,
      frequentTerms: frequent.length,
      denseTerms: dense.length,
      keys: collected.keys.length,
      phrases: phrases ? phraseRoom(order.length) : 0,
      tags: collected.tags.length,
      tables,
    }),
  );
  yield;
  writeTables(sections, tables);
  sections.numberPlaces.set(places);
  sections.frequentTerms.set(frequent);
  sections.denseTerms.set(dense);
  collected.texts.wordTerms.forEach((term, word) => {
    sections.wordTerms[words.placeOf[word] ?? 0] = terms.placeOf[term] ?? 0;
  });
  yield;
  fillColumns(collected, sections, order, (kind, name) => names[kind].placeOf[name] ?? 0);
  fillNames(collected, sections, order, words.placeOf);
  fillTags(collected, sections, order, tags.placeOf);
  fillGroups(collected, sections, order, groups.placeOf);
  fillExactKeys(collected, sections, order);
  yield;
  sections.spellingCounts.set(spellings.map(([, count]) => count));
  yield* countFoldedWords(sections);
  yield* packPostings(sections, lists(), packed);
  yield* fillDense(sections);
  yield* fillTermRoles(sections, languages);
  yield* fillPhrases(sections);
  return { key: randomUUID(), buffer };
}

/** Best quality first. */
function segmentOrder({ ids, qualities, ties }: CollectedDocuments): Uint32Array {
  const quality = qualities.values();
  const tie = ties.values();
  return Uint32Array.from(quality, (_, i) => i).sort(
    (a, b) => (quality[b] ?? 0) - (quality[a] ?? 0) || (tie[a] ?? 0) - (tie[b] ?? 0) || ids.at(a) - ids.at(b),
  );
}

// `order` has the numbers of the collected documents in the order of the segment, `placeOf` the place of each number in a
// sorted table.

function fillColumns(
  documents: CollectedDocuments,
  sections: Sections,
  order: Uint32Array,
  placeOf: (kind: NameKind, name: number) => number,
): void {
  const numbers = storedNumbers(sections);
  const prices = pricesOf(sections);
  order.forEach((source, doc) => {
    sections.ids[doc] = documents.ids.at(source);
    prices[doc] = documents.prices.at(source);
    sections.ratings[doc] = documents.ratings.at(source);
    sections.discounts[doc] = documents.discounts.at(source);
    numbers.forEach((column, i) => {
      if (column !== undefined) column[doc] = documents.numbers.at(source * numbers.length + i);
    });
    sections.qualities[doc] = documents.qualities.at(source);
    sections.ties[doc] = documents.ties.at(source);
    for (const kind of nameKinds) sections[kind][doc] = placeOf(kind, documents.nameNumbers[kind].at(source));
    sections.sources[doc] = documents.sources.at(source);
    sections.availabilities[doc] = documents.availabilities.at(source);
  });
}

function fillNames(
  documents: CollectedDocuments,
  sections: Sections,
  order: Uint32Array,
  placeOf: Uint32Array,
): void {
  let at = 0;
  order.forEach((source, doc) => {
    const end = source + 1 < order.length ? documents.nameStarts.at(source + 1) : documents.nameWords.length;
    for (let i = documents.nameStarts.at(source); i < end; i++) {
      sections.nameWords[at++] = placeOf[documents.nameWords.at(i)] ?? 0;
    }
    sections.nameOffsets[doc + 1] = at;
    sections.nameHeads[doc] = documents.nameHeads.at(source);
  });
}

function fillTags(
  documents: CollectedDocuments,
  sections: Sections,
  order: Uint32Array,
  placeOf: Uint32Array,
): void {
  const rows = sections.tagRows;
  let at = 0;
  order.forEach((source, doc) => {
    const start = at;
    const end = source + 1 < order.length ? documents.tagStarts.at(source + 1) : documents.tags.length;
    for (let i = documents.tagStarts.at(source); i < end; i++)
      rows[at++] = placeOf[documents.tags.at(i)] ?? 0;
    rows.subarray(start, at).sort();
    sections.tagStarts[doc + 1] = at;
  });
}

/** Documents that are alone have the numbers after those of the groups. */
function fillGroups(
  documents: CollectedDocuments,
  sections: Sections,
  order: Uint32Array,
  placeOf: Uint32Array,
): void {
  let alone = placeOf.length;
  order.forEach((source, doc) => {
    const number = documents.groupNumbers.at(source);
    sections.groupNumbers[doc] = number === noGroup ? alone++ : (placeOf[number] ?? 0);
  });
}

function fillExactKeys(documents: CollectedDocuments, sections: Sections, order: Uint32Array): void {
  const docOf = new Uint32Array(order.length);
  order.forEach((source, doc) => {
    docOf[source] = doc;
  });
  const docs = documents.keySources.values().map((source) => docOf[source] ?? 0);
  fillKeys(sections, documents.keys.values(), docs);
}

/** A counting sort: documents are visited in their final order, so each term's postings are sorted. */
function sortPostings(
  documents: CollectedDocuments,
  documentsOfTerm: Uint32Array,
  order: Uint32Array,
  placeOf: Uint32Array,
): () => Generator<PlainList> {
  const next = offsetsOf(documentsOfTerm);
  const docs = new Uint32Array(documents.postingTerms.length);
  const impacts = new Uint8Array(docs.length);
  order.forEach((source, doc) => {
    const end =
      source + 1 < order.length ? documents.postingStarts.at(source + 1) : documents.postingTerms.length;
    for (let i = documents.postingStarts.at(source); i < end; i++) {
      const term = placeOf[documents.postingTerms.at(i)] ?? 0;
      const at = next[term] ?? 0;
      next[term] = at + 1;
      docs[at] = doc;
      impacts[at] = documents.postingImpacts.at(i);
    }
  });
  return function* lists() {
    const list = { docs, impacts, start: 0, end: 0 };
    for (const count of documentsOfTerm) {
      list.start = list.end;
      list.end += count;
      yield list;
    }
  };
}
