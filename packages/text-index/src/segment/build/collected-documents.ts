import { BoundedCache } from "../../bounded-cache.ts";
import { english, type Language } from "../../language/language.ts";
import { languageTag } from "../../language/language-tags.ts";
import { fold } from "../../text/fold.ts";
import { groupTerms } from "../../text/groups.ts";
import { nameHeadLength } from "../../text/name-head.ts";
import { tokenizeFolded, type WordSink } from "../../text/tokenize.ts";
import { keyNumber } from "../exact-keys.ts";
import { fieldWeights, type IndexDocument } from "../index-document.ts";
import type { NameKind } from "../segment-tables.ts";
import { SpellingCounts } from "../spellings.ts";
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

/** Numbers words of the letters a to z by where they stand in a text, without making strings of them. */
class LetterWords {
  readonly #words: Interner;
  /** Open addressing; a number is stored as one more, so that 0 is an empty slot. */
  #slots = new Uint32Array(1 << 14);
  #filled = 0;

  constructor(words: Interner) {
    this.#words = words;
  }

  number(text: string, start: number, end: number): number {
    const slots = this.#slots;
    let slot = hashOf(text, start, end) & (slots.length - 1);
    for (let entry = slots[slot] ?? 0; entry !== 0; entry = slots[slot] ?? 0) {
      if (isAt(this.#words.strings[entry - 1] ?? "", text, start, end)) return entry - 1;
      slot = (slot + 1) & (slots.length - 1);
    }
    // A slice would keep the whole text in memory.
    const number = this.#words.number(Buffer.from(text.slice(start, end), "latin1").toString("latin1"));
    slots[slot] = number + 1;
    if (++this.#filled * 2 > slots.length) this.#grow();
    return number;
  }

  #grow(): void {
    const former = this.#slots;
    this.#slots = new Uint32Array(former.length * 2);
    for (const entry of former) {
      if (entry === 0) continue;
      const word = this.#words.strings[entry - 1] ?? "";
      let slot = hashOf(word, 0, word.length) & (this.#slots.length - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = entry;
    }
  }
}

function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}

function isAt(word: string, text: string, start: number, end: number): boolean {
  if (word.length !== end - start) return false;
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== text.charCodeAt(start + i)) return false;
  return true;
}

/** The weighted frequency of each term in the current document, and the terms that it has, in the order of their first. */
class Frequencies {
  #weights = new Float64Array(1 << 14);
  readonly terms: number[] = [];

  add(term: number, weight: number): void {
    if (term >= this.#weights.length) {
      const former = this.#weights;
      this.#weights = new Float64Array(Math.max(term + 1, former.length * 2));
      this.#weights.set(former);
    }
    const before = this.#weights[term] ?? 0;
    if (before === 0) this.terms.push(term);
    this.#weights[term] = before + weight;
  }

  of(term: number): number {
    return this.#weights[term] ?? 0;
  }

  clear(): void {
    for (const term of this.terms) this.#weights[term] = 0;
    this.terms.length = 0;
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

/** The numbers of the words of a text, and of the terms of its groups. */
interface TextNumbers {
  readonly words: readonly number[];
  readonly groups: readonly number[];
}

/** The fields whose texts hardly ever occur twice. */
const unique: ReadonlySet<string> = new Set(["name", "description"]);
/** So many texts of the other fields are remembered. */
const rememberedTexts = 20_000;

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
  readonly spellings = new SpellingCounts();
  readonly #letterWords = new LetterWords(this.words);
  readonly #frequencies = new Frequencies();
  readonly #repeated = new BoundedCache<string, TextNumbers>(rememberedTexts);

  constructor(languages: readonly Language[] = [english]) {
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
    this.spellings.addName(fields.name);
    this.postingStarts.push(this.postingTerms.length);
    this.nameStarts.push(this.nameWords.length);
    for (const { field, weight, usualLength } of fieldWeights) {
      const text = language.prepare?.(texts[field]) ?? texts[field];
      const { words, groups } = this.#numbersOf(text, unique.has(field), language, tag);
      if (field === "name") this.#addName(text, words, language);
      const share = weight / (1 - lengthInfluence + (lengthInfluence * words.length) / usualLength);
      for (const word of words) this.#frequencies.add(this.wordTerms[word] ?? 0, share);
      for (const group of groups) this.#frequencies.add(group, share);
    }
    for (const term of this.#frequencies.terms) {
      const frequency = this.#frequencies.of(term);
      this.postingTerms.push(term);
      this.postingImpacts.push(Math.max(1, Math.round((255 * frequency) / (frequency + saturation))));
      this.documentsOfTerm[term] = (this.documentsOfTerm[term] ?? 0) + 1;
    }
    this.#frequencies.clear();
  }

  #languageOf(code: string | undefined): Language {
    const [first = english] = this.#languages;
    return code === undefined ? first : (this.#languages.find((language) => language.code === code) ?? first);
  }

  #addName(name: string, words: readonly number[], language: Language): void {
    for (const word of words) this.nameWords.push(word);
    this.nameHeads.push(nameHeadLength(name, words.length, language));
  }

  /** Many documents have the same brand, category, store and attributes: their texts are read once. */
  #numbersOf(text: string, isUnique: boolean, language: Language, tag: string): TextNumbers {
    if (isUnique) return this.#readText(text, language, tag);
    const key = `${tag}${betweenTexts}${text}`;
    return this.#repeated.get(key, () => this.#readText(text, language, tag));
  }

  #readText(text: string, language: Language, tag: string): TextNumbers {
    const folded = fold(text);
    const words: number[] = [];
    const push = (word: string) => {
      words.push(this.#numberWord(word, language, tag));
    };
    const sink: WordSink = {
      word: push,
      letters: (start, end) => {
        if (tag !== "") return push(folded.slice(start, end));
        const number = this.#letterWords.number(folded, start, end);
        if (this.wordTerms[number] === undefined)
          this.wordTerms[number] = this.terms.number(language.termOf(this.words.strings[number] ?? ""));
        words.push(number);
      },
    };
    tokenizeFolded(folded, sink);
    const groups = groupTerms(folded, language.termOf).map((group) => this.terms.number(group));
    return { words, groups };
  }

  #numberWord(word: string, { termOf }: Language, tag: string): number {
    const number = this.words.number(tag !== "" && letters.test(word) ? taggedWord(word, tag) : word);
    this.wordTerms[number] ??= this.terms.number(termOf(word));
    return number;
  }
}
