import { BoundedCache } from "../../bounded-cache.ts";
import type { Language } from "../../language/language.ts";
import { fold } from "../../text/fold.ts";
import { groupTerms } from "../../text/groups.ts";
import { levelTermOf } from "../../text/term.ts";
import { tokenize, tokenizeFolded, type WordSink } from "../../text/tokenize.ts";
import { sortCodePoints } from "../string-table.ts";
import { taggedWord } from "../word-forms.ts";

/** Numbers strings in the order of their arrival, and renumbers them in sorted order at the end. */
export class Interner {
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
export interface TextNumbers {
  readonly words: readonly number[];
  readonly groups: readonly number[];
}

/** So many texts that many documents have are remembered for each language. */
const rememberedTexts = 20_000;

/** The words and terms of a new segment, by number. */
export class TextTables {
  readonly words = new Interner();
  readonly wordTerms: number[] = [];
  readonly terms = new Interner();
  readonly letterWords = new LetterWords(this.words);
}

/** Reads texts in one language. */
export class TextReader implements WordSink {
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
