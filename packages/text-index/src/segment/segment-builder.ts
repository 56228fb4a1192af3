import { randomUUID } from "node:crypto";
import { english, type Language } from "../language/language.ts";
import { languageTag } from "../language/language-tags.ts";
import { fillPhrases } from "../phrases/fill-phrases.ts";
import { phraseRoom } from "../phrases/phrase-room.ts";
import { groupTerms } from "../text/groups.ts";
import { nameHeadLength } from "../text/name-head.ts";
import { tokenize } from "../text/tokenize.ts";
import { denseTerms, fillDense } from "./dense-terms.ts";
import { fillKeys, keyNumber } from "./exact-keys.ts";
import { growingUint8, growingUint32 } from "./growing-list.ts";
import { fillBlocks } from "./impact-blocks.ts";
import { fieldWeights, type IndexDocument } from "./index-document.ts";
import { Interner } from "./interner.ts";
import type { SegmentHandle } from "./segment.ts";
import { allocateSections, type Sections, startPostings } from "./segment-layout.ts";
import { type NameKind, nameKinds, sectionLengths, writeTables } from "./segment-tables.ts";
import { finish, type Steps } from "./steps.ts";
import { compareCodePoints, packStrings } from "./string-table.ts";
import { fillTermRoles } from "./term-roles.ts";
import { taggedWord } from "./word-forms.ts";

// BM25F: how fast repetitions of a term stop counting, and how much the length of a field matters.
const saturation = 0.4;
const lengthInfluence = 0.5;

/** Collects documents and turns them into an immutable segment. */
export interface SegmentBuilder {
  /** The `id` must be new. */
  add(document: IndexDocument): void;
  readonly documents: number;
  /** Builds the segment; the builder cannot be used afterwards. */
  build(): SegmentHandle;
  /** The same with pauses. */
  buildInSteps(): Steps<SegmentHandle>;
}

type Columns = Omit<IndexDocument, "fields" | "keys" | "language"> & {
  readonly names: Readonly<Record<NameKind, number>>;
};

const fieldOf = { brands: "brand", categories: "category", stores: "store" } as const;

function mapKinds<T>(make: (kind: NameKind) => T): Record<NameKind, T> {
  return { brands: make("brands"), categories: make("categories"), stores: make("stores") };
}

export interface BuilderOptions {
  /** Stores the frequent phrases of names, which are used to complete queries. Default: true. */
  readonly phrases?: boolean;
  /** Those of the documents; the first one is that of documents without a language. Default: English. */
  readonly languages?: readonly Language[];
}

export function createSegmentBuilder({
  phrases = true,
  languages = [english],
}: BuilderOptions = {}): SegmentBuilder {
  return new Builder(phrases, languages);
}

const letters = /^\p{L}/u;

class Builder implements SegmentBuilder {
  readonly #keepsPhrases: boolean;
  readonly #languages: readonly Language[];
  readonly #columns: Columns[] = [];
  readonly #words = new Interner();
  readonly #wordTerms: number[] = [];
  readonly #terms = new Interner();
  readonly #names = mapKinds(() => new Interner());
  // Postings by document, in the order of `add`: those of document i start at #postingStarts[i].
  readonly #postingStarts = growingUint32();
  readonly #postingTerms = growingUint32();
  readonly #postingImpacts = growingUint8();
  readonly #keys: number[] = [];
  readonly #keySources: number[] = [];
  readonly #nameStarts = growingUint32();
  readonly #nameWords = growingUint32();
  readonly #nameHeads = growingUint8();
  readonly #documentsOfTerm: number[] = [];
  // The weighted frequency of each term in the current document.
  readonly #frequency = new Map<number, number>();

  constructor(keepsPhrases: boolean, languages: readonly Language[]) {
    this.#keepsPhrases = keepsPhrases;
    this.#languages = languages;
  }

  get documents(): number {
    return this.#columns.length;
  }

  add(document: IndexDocument): void {
    const { fields, keys = [], language: code, ...columns } = document;
    const language = this.#languageOf(code);
    const tag = languageTag(this.#languages, language);
    for (const number of new Set(keys.map(keyNumber))) {
      if (number === undefined) continue;
      this.#keys.push(number);
      this.#keySources.push(this.#columns.length);
    }
    this.#columns.push({
      ...columns,
      names: mapKinds((kind) => this.#names[kind].number(fields[fieldOf[kind]])),
    });
    this.#postingStarts.push(this.#postingTerms.length);
    this.#nameStarts.push(this.#nameWords.length);
    this.#frequency.clear();
    for (const { field, weight, usualLength } of fieldWeights) {
      const text = language.prepare?.(fields[field]) ?? fields[field];
      const words = tokenize(text).map((word) => this.#numberWord(word, language, tag));
      if (field === "name") this.#addName(text, words, language);
      const share = weight / (1 - lengthInfluence + (lengthInfluence * words.length) / usualLength);
      for (const word of words) {
        const term = this.#wordTerms[word] ?? 0;
        this.#frequency.set(term, (this.#frequency.get(term) ?? 0) + share);
      }
      for (const group of groupTerms(text, language.termOf)) {
        const term = this.#terms.number(group);
        this.#frequency.set(term, (this.#frequency.get(term) ?? 0) + share);
      }
    }
    for (const [term, frequency] of this.#frequency) {
      this.#postingTerms.push(term);
      this.#postingImpacts.push(Math.max(1, Math.round((255 * frequency) / (frequency + saturation))));
      this.#documentsOfTerm[term] = (this.#documentsOfTerm[term] ?? 0) + 1;
    }
  }

  #languageOf(code: string | undefined): Language {
    const [first = english] = this.#languages;
    return code === undefined ? first : (this.#languages.find((language) => language.code === code) ?? first);
  }

  #addName(name: string, words: readonly number[], language: Language): void {
    for (const word of words) this.#nameWords.push(word);
    this.#nameHeads.push(nameHeadLength(name, words.length, language));
  }

  #numberWord(word: string, { termOf }: Language, tag: string): number {
    const number = this.#words.number(tag !== "" && letters.test(word) ? taggedWord(word, tag) : word);
    this.#wordTerms[number] ??= this.#terms.number(termOf(word));
    return number;
  }

  build(): SegmentHandle {
    return finish(this.buildInSteps());
  }

  *buildInSteps(): Steps<SegmentHandle> {
    const order = this.#columns.map((_, i) => i);
    order.sort((a, b) => this.#compare(a, b));
    yield;
    const terms = this.#terms.sorted();
    yield;
    const words = this.#words.sorted();
    yield;
    const names = mapKinds((kind) => this.#names[kind].sorted());
    const tables = {
      terms: packStrings(terms.strings),
      words: packStrings(words.strings),
      ...mapKinds((kind) => packStrings(names[kind].strings)),
    };
    yield;
    const tieKeys = packStrings(iterate(order, (i) => this.#columns[i]?.tieKey ?? ""));
    const documentsOfTerm = new Uint32Array(terms.strings.length);
    this.#documentsOfTerm.forEach((documents, term) => {
      documentsOfTerm[terms.placeOf[term] ?? 0] = documents;
    });
    const dense = denseTerms(documentsOfTerm, order.length);
    const { buffer, sections } = allocateSections(
      sectionLengths({
        documents: order.length,
        nameWords: this.#nameWords.length,
        postings: this.#postingTerms.length,
        denseTerms: dense.length,
        tieKeyBytes: tieKeys.bytes.length,
        keys: this.#keys.length,
        phrases: this.#keepsPhrases ? phraseRoom(order.length) : 0,
        tables,
      }),
    );
    yield;
    writeTables(sections, tables);
    sections.denseTerms.set(dense);
    sections.tieKeyOffsets.set(tieKeys.offsets);
    sections.tieKeyBytes.set(tieKeys.bytes);
    this.#wordTerms.forEach((term, word) => {
      sections.wordTerms[words.placeOf[word] ?? 0] = terms.placeOf[term] ?? 0;
    });
    yield;
    this.#fillColumns(sections, order, (kind, name) => names[kind].placeOf[name] ?? 0);
    this.#fillNames(sections, order, words.placeOf);
    this.#fillKeys(sections, order);
    yield;
    startPostings(sections, documentsOfTerm);
    this.#fillPostings(sections, order, terms.placeOf);
    yield* fillDense(sections);
    yield* fillBlocks(sections);
    yield* fillTermRoles(sections, this.#languages);
    yield* fillPhrases(sections);
    return { key: randomUUID(), buffer };
  }

  #compare(a: number, b: number): number {
    const x = this.#columns[a];
    const y = this.#columns[b];
    if (x === undefined || y === undefined) return 0;
    return (
      Math.fround(y.quality) - Math.fround(x.quality) || compareCodePoints(x.tieKey, y.tieKey) || x.id - y.id
    );
  }

  #fillColumns(
    sections: Sections,
    order: readonly number[],
    placeOf: (kind: NameKind, name: number) => number,
  ): void {
    order.forEach((source, doc) => {
      const columns = this.#columns[source];
      if (columns === undefined) return;
      sections.ids[doc] = columns.id;
      sections.prices[doc] = columns.priceMinor;
      sections.ratings[doc] = columns.rating;
      sections.discounts[doc] = columns.discount;
      sections.qualities[doc] = columns.quality;
      for (const kind of nameKinds) sections[kind][doc] = placeOf(kind, columns.names[kind]);
      sections.sources[doc] = columns.source;
      sections.availabilities[doc] = columns.availability;
    });
  }

  #fillNames(sections: Sections, order: readonly number[], placeOf: Uint32Array): void {
    let at = 0;
    order.forEach((source, doc) => {
      const end = source + 1 < order.length ? this.#nameStarts.at(source + 1) : this.#nameWords.length;
      for (let i = this.#nameStarts.at(source); i < end; i++) {
        sections.nameWords[at++] = placeOf[this.#nameWords.at(i)] ?? 0;
      }
      sections.nameOffsets[doc + 1] = at;
      sections.nameHeads[doc] = this.#nameHeads.at(source);
    });
  }

  #fillKeys(sections: Sections, order: readonly number[]): void {
    const docOf = new Uint32Array(order.length);
    order.forEach((source, doc) => {
      docOf[source] = doc;
    });
    const docs = Uint32Array.from(this.#keySources, (source) => docOf[source] ?? 0);
    fillKeys(sections, Float64Array.from(this.#keys), docs);
  }

  /** A counting sort: documents are visited in their final order, so each term's postings are sorted. */
  #fillPostings(sections: Sections, order: readonly number[], placeOf: Uint32Array): void {
    const { postingOffsets, postingDocs, postingImpacts } = sections;
    const next = postingOffsets.slice();
    order.forEach((source, doc) => {
      const end = source + 1 < order.length ? this.#postingStarts.at(source + 1) : this.#postingTerms.length;
      for (let i = this.#postingStarts.at(source); i < end; i++) {
        const term = placeOf[this.#postingTerms.at(i)] ?? 0;
        const at = next[term] ?? 0;
        next[term] = at + 1;
        postingDocs[at] = doc;
        postingImpacts[at] = this.#postingImpacts.at(i);
      }
    });
  }
}

function* iterate<T>(order: readonly number[], pick: (index: number) => T): Generator<T> {
  for (const index of order) yield pick(index);
}
