import { BoundedCache } from "../../bounded-cache.ts";
import { english, type Language, languageTag } from "../../language/language.ts";
import { findGroups, groupTerms } from "../../text/groups.ts";
import { fold, levelTermOf, nameKey, tokenize, tokenizeFolded, type WordSink } from "../../text/tokenize.ts";
import { keyNumber } from "../postings.ts";
import { fieldWeights, type IndexDocument, isLongPrice, numberColumns } from "../segment-layout.ts";
import { type NameKind, nameKinds } from "../segment-tables.ts";
import { SpellingCounts } from "../spellings.ts";
import { sortCodePoints } from "../string-table.ts";
import { attributePrefix, documentFlags, flagTag, isUsable, pathsOf, tagsOf } from "../tags.ts";
import { taggedWord } from "../term-roles.ts";

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

/** A list of numbers that grows in chunks: nothing is copied, and it never needs twice its size in memory. */
class GrowingList<T extends Uint8Array | Uint32Array | Float32Array | Float64Array> {
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

  /** All of them in one array. */
  values(): T {
    const values = this.#allocate(this.length);
    this.#chunks.forEach((chunk, i) => {
      values.set(chunk.subarray(0, this.length - i * chunkLength), i * chunkLength);
    });
    return values;
  }

  at(index: number): number {
    return this.#chunks[index >>> chunkBits]?.[index & (chunkLength - 1)] ?? 0;
  }
}

const growingUint32 = (): GrowingList<Uint32Array> => new GrowingList((length) => new Uint32Array(length));

const growingUint8 = (): GrowingList<Uint8Array> => new GrowingList((length) => new Uint8Array(length));

const growingFloat32 = (): GrowingList<Float32Array> => new GrowingList((length) => new Float32Array(length));

const growingFloat64 = (): GrowingList<Float64Array> => new GrowingList((length) => new Float64Array(length));

// BM25F: how fast repetitions of a term stop counting, and how much the length of a field matters.
const saturation = 0.4;
const lengthInfluence = 0.5;

const fieldOf = { brands: "brand", categories: "category", stores: "store" } as const;

export function mapKinds<T>(make: (kind: NameKind) => T): Record<NameKind, T> {
  return { brands: make("brands"), categories: make("categories"), stores: make("stores") };
}

/** The group number of a document that is alone. */
export const noGroup = 0xffffffff;

/** No group of words goes across it. */
const betweenTexts = " ; ";

/** The last names of all categories. A higher level has things of many kinds: its words are not those of each of them. */
function lastNames(paths: ReturnType<typeof pathsOf>): string {
  return [...new Set(paths.map((path) => path.at(-1) ?? ""))].join(betweenTexts);
}

/** The categories of a document: a text of their names, those of higher levels, and the numbers of their tags. */
interface Categories {
  readonly text: string;
  readonly levels: readonly string[];
  readonly tags: readonly number[];
}

const rememberedCategories = 5_000;

interface AttributeName {
  /** The same for names that differ only in case and accents. */
  readonly key: string;
  readonly prefix: string;
  /** The tag of each value. */
  readonly tags: Map<string, number>;
}

/** The documents of a new segment in the order of `add`, with numbers in place of words, terms and names. */
export class CollectedDocuments {
  // An object for each document would take several times the memory.
  readonly ids = growingUint32();
  readonly prices = growingFloat64();
  hasLongPrices = false;
  readonly ratings = growingFloat32();
  readonly discounts = growingFloat32();
  readonly numbers = growingFloat64();
  /** The numbers of the columns that any document has. */
  readonly knownNumbers = new Set<number>();
  readonly qualities = growingFloat32();
  readonly sources = growingUint8();
  readonly availabilities = growingUint8();
  readonly groupNumbers = growingUint32();
  readonly ties = growingFloat64();
  readonly nameNumbers = mapKinds(growingUint32);
  readonly names = mapKinds(() => new Interner());
  readonly texts = new TextTables();
  // Postings by document, in the order of `add`: those of document i start at postingStarts[i].
  readonly postingStarts = growingUint32();
  readonly postingTerms = growingUint32();
  readonly postingImpacts = growingUint8();
  // Of document i, those from tagStarts[i] on.
  readonly tagTexts = new Interner();
  readonly tagStarts = growingUint32();
  readonly tags = growingUint32();
  readonly groups = new Interner();
  readonly keys = growingFloat64();
  readonly keySources = growingUint32();
  readonly nameStarts = growingUint32();
  readonly nameWords = growingUint32();
  readonly nameHeads = growingUint8();
  readonly documentsOfTerm: number[] = [];
  readonly spellings = new SpellingCounts();
  readonly #readers: readonly TextReader[];
  readonly #frequencies = new Frequencies();
  readonly #attributeNames = new Map<string, AttributeName>();
  readonly #categories = new BoundedCache<string, Categories>(rememberedCategories);

  constructor(languages: readonly Language[] = [english]) {
    this.#readers = languages.map(
      (language) => new TextReader(this.texts, language, languageTag(languages, language)),
    );
  }

  get count(): number {
    return this.ids.length;
  }

  add(document: IndexDocument): void {
    const { fields, attributes = [], otherAttributes = [] } = document;
    const reader = this.#readerOf(document.language);
    const categories = this.#categoriesOf(document);
    this.#addKeys(document.keys ?? []);
    this.#addTags(document, categories);
    this.#addColumns(document);
    this.postingStarts.push(this.postingTerms.length);
    for (const { field, weight, usualLength } of fieldWeights) {
      if (field === "name") this.#addField([this.#addName(fields.name, reader)], weight, usualLength);
      else if (field === "description")
        this.#addField([reader.read(fields.description)], weight, usualLength);
      else if (field === "attributes")
        this.#addField(
          [...attributes.map(([, value]) => value), ...otherAttributes].map((value) =>
            reader.readRepeated(value),
          ),
          weight,
          usualLength,
        );
      else {
        const text = field === "category" ? categories.text : fields[field];
        const levels = field === "category" ? [reader.readLevels(categories.levels)] : [];
        this.#addField([reader.readRepeated(text), ...levels], weight, usualLength);
      }
    }
    for (const term of this.#frequencies.terms) {
      const frequency = this.#frequencies.of(term);
      this.postingTerms.push(term);
      this.postingImpacts.push(Math.max(1, Math.round((255 * frequency) / (frequency + saturation))));
      this.documentsOfTerm[term] = (this.documentsOfTerm[term] ?? 0) + 1;
    }
    this.#frequencies.clear();
  }

  #readerOf(code: string | undefined): TextReader {
    const [first] = this.#readers;
    const reader = code === undefined ? first : this.#readers.find(({ language }) => language.code === code);
    const chosen = reader ?? first;
    if (chosen === undefined) throw new Error("An index needs at least one language.");
    return chosen;
  }

  #addColumns(document: IndexDocument): void {
    this.ids.push(document.id);
    this.prices.push(document.priceMinor);
    this.hasLongPrices ||= isLongPrice(document.priceMinor);
    this.ratings.push(document.rating);
    this.discounts.push(document.discount);
    numberColumns.forEach((name, column) => {
      const number = document.numbers?.[name];
      if (number !== undefined) this.knownNumbers.add(column);
      this.numbers.push(number ?? Number.NaN);
    });
    this.qualities.push(document.quality);
    this.sources.push(document.source);
    this.availabilities.push(document.availability);
    this.ties.push(document.tie);
    this.groupNumbers.push(document.group === undefined ? noGroup : this.groups.number(document.group));
    for (const kind of nameKinds)
      this.nameNumbers[kind].push(this.names[kind].number(document.fields[fieldOf[kind]]));
  }

  #addKeys(keys: readonly string[]): void {
    const numbers = keys.map(keyNumber);
    numbers.forEach((number, i) => {
      if (number === undefined || numbers.indexOf(number) < i) return;
      this.keys.push(number);
      this.keySources.push(this.count);
    });
  }

  /** Many documents have the same categories. */
  #categoriesOf(document: IndexDocument): Categories {
    const { fields, categoryPaths } = document;
    return this.#categories.get(JSON.stringify([fields.category, categoryPaths]), () => ({
      text: categoryPaths === undefined ? fields.category : lastNames(pathsOf(document)),
      levels: [...new Set(pathsOf(document).flatMap((path) => path.slice(0, -1)))],
      tags: tagsOf({ fields, categoryPaths }).map((tag) => this.tagTexts.number(tag)),
    }));
  }

  /** The same tags as of `tagsOf`, without making their texts for each document. */
  #addTags(document: IndexDocument, { tags }: Categories): void {
    this.tagStarts.push(this.tags.length);
    for (const tag of tags) this.tags.push(tag);
    for (const flag of documentFlags)
      if (document[flag] === true) this.tags.push(this.tagTexts.number(flagTag(flag)));
    const taken: { name: AttributeName; value: string }[] = [];
    for (const attribute of document.attributes ?? []) {
      if (!isUsable(attribute)) continue;
      const [written, value] = attribute;
      const own = this.#attributeName(written);
      const same = taken.filter(({ name }) => name.key === own.key);
      if (same.some((other) => other.value === value || nameKey(other.value) === nameKey(value))) continue;
      const name = same[0]?.name ?? own;
      taken.push({ name, value });
      this.tags.push(this.#tagOf(name, value));
    }
  }

  #attributeName(written: string): AttributeName {
    const known = this.#attributeNames.get(written);
    if (known !== undefined) return known;
    const name = { key: nameKey(written), prefix: attributePrefix(written), tags: new Map() };
    this.#attributeNames.set(written, name);
    return name;
  }

  #tagOf({ prefix, tags }: AttributeName, value: string): number {
    const known = tags.get(value);
    if (known !== undefined) return known;
    const tag = this.tagTexts.number(prefix + value);
    tags.set(value, tag);
    return tag;
  }

  #addName(name: string, reader: TextReader): TextNumbers {
    const numbers = reader.read(name);
    this.spellings.addName(name);
    this.nameStarts.push(this.nameWords.length);
    for (const word of numbers.words) this.nameWords.push(word);
    this.nameHeads.push(nameHeadLength(name, numbers.words.length, reader.language));
    return numbers;
  }

  #addField(texts: readonly TextNumbers[], weight: number, usualLength: number): void {
    const length = texts.reduce((sum, { words }) => sum + words.length, 0);
    const share = weight / (1 - lengthInfluence + (lengthInfluence * length) / usualLength);
    for (const { words, groups } of texts) {
      for (const word of words) this.#frequencies.add(this.texts.wordTerms[word] ?? 0, share);
      for (const group of groups) this.#frequencies.add(group, share);
    }
  }
}

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

  /** The strings sorted by code point, and the new number for each first number. */
  sorted(): { strings: string[]; placeOf: Uint32Array } {
    const strings = sortCodePoints([...this.strings]);
    const placeOf = new Uint32Array(strings.length);
    strings.forEach((text, place) => {
      placeOf[this.#numbers.get(text) ?? 0] = place;
    });
    return { strings, placeOf };
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

const letters = /^\p{L}/u;

/** The numbers of the words of a text, and of the terms of its groups. */
interface TextNumbers {
  readonly words: readonly number[];
  readonly groups: readonly number[];
}

/** So many texts that many documents have are remembered for each language. */
const rememberedTexts = 20_000;

/** The words and terms of a new segment, by number. */
class TextTables {
  readonly words = new Interner();
  readonly wordTerms: number[] = [];
  readonly terms = new Interner();
  readonly letterWords = new LetterWords(this.words);
}

/** Reads texts in one language. */
class TextReader implements WordSink {
  readonly language: Language;
  readonly #tag: string;
  readonly #tables: TextTables;
  readonly #repeated = new BoundedCache<string, TextNumbers>(rememberedTexts);
  #folded = "";
  #words: number[] = [];

  /** The words in other languages than the first are marked with a tag. */
  constructor(tables: TextTables, language: Language, tag: string) {
    this.#tables = tables;
    this.language = language;
    this.#tag = tag;
  }

  read(text: string): TextNumbers {
    this.#folded = fold(this.language.prepare?.(text) ?? text);
    this.#words = [];
    tokenizeFolded(this.#folded, this);
    const { terms } = this.#tables;
    const groups = groupTerms(this.#folded, this.language.termOf).map((group) => terms.number(group));
    return { words: this.#words, groups };
  }

  /** The same for a text that many documents have, such as a brand: it is read once. */
  readRepeated(text: string): TextNumbers {
    return this.#repeated.get(text, () => this.read(text));
  }

  /** The whole names of levels of categories, each as one term. */
  readLevels(names: readonly string[]): TextNumbers {
    const { termOf } = this.language;
    const groups = names.map((name) =>
      this.#tables.terms.number(levelTermOf(tokenize(name, "query"), termOf)),
    );
    return { words: [], groups };
  }

  letters(start: number, end: number): void {
    if (this.#tag !== "") {
      this.word(this.#folded.slice(start, end));
      return;
    }
    const { words, letterWords } = this.#tables;
    const number = letterWords.number(this.#folded, start, end);
    this.#words.push(number);
    if (this.#tables.wordTerms[number] === undefined) this.#addTerm(number, words.strings[number] ?? "");
  }

  word(word: string): void {
    const { words, wordTerms } = this.#tables;
    const number = words.number(this.#tag !== "" && letters.test(word) ? taggedWord(word, this.#tag) : word);
    this.#words.push(number);
    if (wordTerms[number] === undefined) this.#addTerm(number, word);
  }

  #addTerm(number: number, word: string): void {
    const { terms, wordTerms } = this.#tables;
    wordTerms[number] = terms.number(this.language.termOf(word));
  }
}

/** The parts of a language that say where the thing is in a name. */
export interface NameLanguage {
  readonly names: { readonly qualifiers: RegExp; readonly thingFirst: boolean };
  readonly attributeWords: ReadonlySet<string>;
}

/** The number of words of a name up to the one that says what the thing is; at most 255. `words` is the number of all. */
export function nameHeadLength(
  name: string,
  words: number,
  { names: { qualifiers, thingFirst }, attributeWords }: NameLanguage,
): number {
  const at = name.search(qualifiers);
  if (!thingFirst && at <= 0 && !anyDigit.test(name)) return Math.min(255, words);
  const text = at <= 0 ? name : name.slice(0, at);
  if (!thingFirst) return Math.min(255, tokenize(withoutMeasures(fold(text))).length);
  const head = tokenize(text);
  const thing = head.findIndex((word) => !attributeWords.has(word));
  return Math.min(255, thing < 0 ? head.length : thing + 1);
}

const anyDigit = /\d/;
const numberAtEnd = /\s\S*\d\S*$/;

/** Without the amounts, sizes and numbers at its end: "Kettle 1.7 l" is a kettle, "LED Bulb E27 8 W" a bulb. */
function withoutMeasures(folded: string): string {
  const text = folded.trimEnd();
  const last = findGroups(text).at(-1);
  const isMeasure = last?.end === text.length && (last.kind === "amount" || last.kind === "size");
  const end = isMeasure ? last.start : text.search(numberAtEnd);
  return end <= 0 ? text : withoutMeasures(text.slice(0, end));
}
