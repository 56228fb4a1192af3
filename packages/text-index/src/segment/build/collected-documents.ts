import { english, type Language } from "../../language/language.ts";
import { languageTag } from "../../language/language-tags.ts";
import { groupTerms } from "../../text/groups.ts";
import { nameHeadLength } from "../../text/name-head.ts";
import { tokenize } from "../../text/tokenize.ts";
import { keyNumber } from "../exact-keys.ts";
import { fieldWeights, type IndexDocument } from "../index-document.ts";
import type { NameKind } from "../segment-tables.ts";
import { compareCodePoints } from "../string-table.ts";
import { pathsOf, tagsOf } from "../tags.ts";
import { taggedWord } from "../word-forms.ts";

/** Numbers strings in the order of their arrival, and renumbers them in sorted order at the end. */
class Interner {
  readonly #numbers = new Map<string, number>();
  readonly strings: string[] = [];

  number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const fresh = this.strings.length;
    this.#numbers.set(text, fresh);
    this.strings.push(text);
    return fresh;
  }

  get(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  /** The strings sorted by code point, and the new number for each first number. */
  sorted(): { strings: string[]; placeOf: Uint32Array } {
    const order = this.strings.map((_, i) => i);
    order.sort((a, b) => compareCodePoints(this.strings[a] ?? "", this.strings[b] ?? ""));
    const placeOf = new Uint32Array(order.length);
    order.forEach((number, place) => {
      placeOf[number] = place;
    });
    return { strings: order.map((number) => this.strings[number] ?? ""), placeOf };
  }
}

const chunkBits = 14;

const chunkLength = 1 << chunkBits;

/** A list of unsigned integers that grows in chunks: nothing is copied, and it never needs twice its size in memory. */
class GrowingList<T extends Uint8Array | Uint32Array> {
  readonly #allocate: (length: number) => T;
  readonly #chunks: T[] = [];
  #last: T;
  #filled = chunkLength;
  length = 0;

  constructor(allocate: (length: number) => T) {
    this.#allocate = allocate;
    this.#last = allocate(0);
  }

  push(value: number): void {
    if (this.#filled === chunkLength) {
      this.#last = this.#allocate(chunkLength);
      this.#chunks.push(this.#last);
      this.#filled = 0;
    }
    this.#last[this.#filled++] = value;
    this.length++;
  }

  at(index: number): number {
    return this.#chunks[index >>> chunkBits]?.[index & (chunkLength - 1)] ?? 0;
  }
}

const growingUint32 = (): GrowingList<Uint32Array> => new GrowingList((length) => new Uint32Array(length));

const growingUint8 = (): GrowingList<Uint8Array> => new GrowingList((length) => new Uint8Array(length));

// BM25F: how fast repetitions of a term stop counting, and how much the length of a field matters.
const saturation = 0.4;
const lengthInfluence = 0.5;

type Columns = Omit<
  IndexDocument,
  "fields" | "keys" | "language" | "attributes" | "categoryPaths" | "group"
> & {
  /** The number of its group; undefined if it is alone. */
  readonly groupNumber: number | undefined;
  readonly names: Readonly<Record<NameKind, number>>;
};

const fieldOf = { brands: "brand", categories: "category", stores: "store" } as const;

export function mapKinds<T>(make: (kind: NameKind) => T): Record<NameKind, T> {
  return { brands: make("brands"), categories: make("categories"), stores: make("stores") };
}

const letters = /^\p{L}/u;

/** No group of words goes across it. */
const betweenTexts = " ; ";

/** All levels of all categories, the most exact first. */
function levelNames(document: IndexDocument): string {
  return [...new Set(pathsOf(document).flatMap((path) => path.toReversed()))].join(betweenTexts);
}

/** The documents of a new segment in the order of `add`, with numbers in place of words, terms and names. */
export class CollectedDocuments {
  readonly #languages: readonly Language[];
  readonly columns: Columns[] = [];
  readonly words = new Interner();
  readonly wordTerms: number[] = [];
  readonly terms = new Interner();
  readonly names = mapKinds(() => new Interner());
  // Postings by document, in the order of `add`: those of document i start at postingStarts[i].
  readonly postingStarts = growingUint32();
  readonly postingTerms = growingUint32();
  readonly postingImpacts = growingUint8();
  // Of document i, those from tagStarts[i] on.
  readonly tagTexts = new Interner();
  readonly tagStarts = growingUint32();
  readonly tags = growingUint32();
  readonly groups = new Interner();
  readonly keys: number[] = [];
  readonly keySources: number[] = [];
  readonly nameStarts = growingUint32();
  readonly nameWords = growingUint32();
  readonly nameHeads = growingUint8();
  readonly documentsOfTerm: number[] = [];
  // The weighted frequency of each term in the current document.
  readonly #frequency = new Map<number, number>();

  constructor(languages: readonly Language[]) {
    this.#languages = languages;
  }

  get count(): number {
    return this.columns.length;
  }

  add(document: IndexDocument): void {
    const { fields, keys = [], language: code, attributes = [], categoryPaths, group, ...columns } = document;
    const language = this.#languageOf(code);
    const tag = languageTag(this.#languages, language);
    for (const number of new Set(keys.map(keyNumber))) {
      if (number === undefined) continue;
      this.keys.push(number);
      this.keySources.push(this.columns.length);
    }
    this.columns.push({
      ...columns,
      groupNumber: group === undefined ? undefined : this.groups.number(group),
      names: mapKinds((kind) => this.names[kind].number(fields[fieldOf[kind]])),
    });
    this.tagStarts.push(this.tags.length);
    for (const tag of tagsOf(document)) this.tags.push(this.tagTexts.number(tag));
    const texts = {
      ...fields,
      category: categoryPaths === undefined ? fields.category : levelNames(document),
      attributes: attributes.map(([, value]) => value).join(betweenTexts),
    };
    this.postingStarts.push(this.postingTerms.length);
    this.nameStarts.push(this.nameWords.length);
    this.#frequency.clear();
    for (const { field, weight, usualLength } of fieldWeights) {
      const text = language.prepare?.(texts[field]) ?? texts[field];
      const words = tokenize(text).map((word) => this.#numberWord(word, language, tag));
      if (field === "name") this.#addName(text, words, language);
      const share = weight / (1 - lengthInfluence + (lengthInfluence * words.length) / usualLength);
      for (const word of words) {
        const term = this.wordTerms[word] ?? 0;
        this.#frequency.set(term, (this.#frequency.get(term) ?? 0) + share);
      }
      for (const group of groupTerms(text, language.termOf)) {
        const term = this.terms.number(group);
        this.#frequency.set(term, (this.#frequency.get(term) ?? 0) + share);
      }
    }
    for (const [term, frequency] of this.#frequency) {
      this.postingTerms.push(term);
      this.postingImpacts.push(Math.max(1, Math.round((255 * frequency) / (frequency + saturation))));
      this.documentsOfTerm[term] = (this.documentsOfTerm[term] ?? 0) + 1;
    }
  }

  #languageOf(code: string | undefined): Language {
    const [first = english] = this.#languages;
    return code === undefined ? first : (this.#languages.find((language) => language.code === code) ?? first);
  }

  #addName(name: string, words: readonly number[], language: Language): void {
    for (const word of words) this.nameWords.push(word);
    this.nameHeads.push(nameHeadLength(name, words.length, language));
  }

  #numberWord(word: string, { termOf }: Language, tag: string): number {
    const number = this.words.number(tag !== "" && letters.test(word) ? taggedWord(word, tag) : word);
    this.wordTerms[number] ??= this.terms.number(termOf(word));
    return number;
  }
}
