import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { inflateSync } from "node:zlib";
import {
  type Encoder,
  type EncoderMemory,
  identifyEncoder,
  openEncoder,
  reserveEncoder,
} from "./encoder/encoder.ts";
import { findText, formsOf, openSections, wordsOf } from "./words.ts";

/** Everything that `openWordMeaning` reads, in memory that threads share. */
export interface MeaningMemory {
  readonly words: SharedArrayBuffer;
  readonly encoder: EncoderMemory;
  /** The name of the encoder's weights. */
  readonly encoderId: string;
}

/** What texts mean, and which things names name. */
export interface WordMeaning {
  /** The name of the weights: other weights give other vectors. */
  readonly id: string;
  /** Texts of a like meaning have vectors of a like direction. Of length 1. Takes milliseconds unless it was asked lately. */
  vectorOf(text: string): Float32Array;
  /** Whether this is a word, or made of two. */
  isWord(word: string): boolean;
  /** Whether this names something that can be touched: a product, a food, an animal, a plant. */
  isThing(name: string): boolean;
  /** Whether this names one sort of things, unlike "furniture". */
  isBareThing(name: string): boolean;
  /** The numbers of its meanings as a thing, the usual one first. */
  meaningsOf(name: string): ArrayLike<number>;
  /** The numbers of the meanings above these, such as furniture above chair; without its own meanings. */
  meaningsAbove(name: string): readonly number[];
}

/** Reads the words: 0.9 MB. The weights of the encoder, 10 MB, are read at their first use. */
export function readMeaning(): MeaningMemory {
  // Found as a package's file, because the service is bundled.
  const file = createRequire(import.meta.url).resolve("@product-search/word-meaning/words.bin");
  const unpacked = inflateSync(readFileSync(file));
  const words = new SharedArrayBuffer(unpacked.length);
  new Uint8Array(words).set(unpacked);
  return { words, encoder: reserveEncoder(), encoderId: identifyEncoder() };
}

/** Vectors of the texts asked last: 1.5 kB each. */
const maxRemembered = 300;

/** For one thread. Nothing is copied. */
export function openWordMeaning({ words, encoder: memory, encoderId }: MeaningMemory): WordMeaning {
  const table = openWordTable(words);
  let opened: Encoder | undefined;
  const encoder = () => (opened ??= openEncoder(memory));
  const remembered = new Map<string, Float32Array>();
  return {
    id: encoderId,
    vectorOf(text) {
      const vector = remembered.get(text) ?? encoder().encode(text);
      remembered.delete(text);
      remembered.set(text, vector);
      for (const [oldest] of remembered) {
        if (remembered.size <= maxRemembered) break;
        remembered.delete(oldest);
      }
      return vector;
    },
    isWord: (word) => isWord(table, word),
    isThing: (name) => meaningsOf(table, name).length > 0,
    isBareThing: (name) => isBare(table, name),
    meaningsOf: (name) => meaningsOf(table, name),
    meaningsAbove: (name) => meaningsAbove(table, name),
  };
}

type WordTable = ReturnType<typeof openWordTable>;

function openWordTable(buffer: SharedArrayBuffer) {
  const { read } = openSections(buffer, {
    magic: "WORDS002",
    remedy: "Make it again with make/make_words.py.",
  });
  return {
    wordStarts: read(Uint32Array, "wordStarts"),
    words: read(Uint8Array, "words"),
    nameStarts: read(Uint32Array, "nameStarts"),
    names: read(Uint8Array, "names"),
    meaningStarts: read(Uint32Array, "meaningStarts"),
    meanings: read(Uint16Array, "meanings"),
    aboveStarts: read(Uint32Array, "aboveStarts"),
    above: read(Uint16Array, "above"),
    bare: read(Uint8Array, "bare"),
  };
}

/** The shortest part of a compound. */
const leastPart = 3;

function isListed({ wordStarts, words }: WordTable, word: string): boolean {
  return formsOf(word).some((form) => findText(wordStarts, words, form) >= 0);
}

function isWord(table: WordTable, word: string): boolean {
  if (isListed(table, word)) return true;
  for (let at = leastPart; at <= word.length - leastPart; at++)
    if (isListed(table, word.slice(0, at)) && isListed(table, word.slice(at))) return true;
  return false;
}

/** The place of a name or of what it is a plural of; −1 without one. */
function nameOf(table: WordTable, name: string): number {
  const { nameStarts, names } = table;
  const words = wordsOf(name);
  const last = words.pop();
  if (last === undefined) return -1;
  for (const form of formsOf(last)) {
    const place = findText(nameStarts, names, [...words, form].join(" "));
    if (place >= 0) return place;
  }
  return words.length === 0 ? nameOfCompound(table, last) : -1;
}

/** The shortest thing at the end of a compound: by chance, a longer one is rarely there. */
const leastThing = 4;

/** A smartwatch is a watch, though WordNet does not have it. */
function nameOfCompound(table: WordTable, word: string): number {
  for (let at = leastPart; at <= word.length - leastThing; at++)
    if (isListed(table, word.slice(0, at)))
      for (const form of formsOf(word.slice(at))) {
        const place = findText(table.nameStarts, table.names, form);
        if (place >= 0) return place;
      }
  return -1;
}

function meaningsOf(table: WordTable, name: string): Uint16Array {
  const { meaningStarts, meanings } = table;
  const place = nameOf(table, name);
  return meanings.subarray(meaningStarts[place] ?? 0, place < 0 ? 0 : meaningStarts[place + 1]);
}

function isBare(table: WordTable, name: string): boolean {
  const place = nameOf(table, name);
  return place >= 0 && table.bare[place] === 1;
}

function meaningsAbove(table: WordTable, name: string): number[] {
  const { aboveStarts, above } = table;
  const own = meaningsOf(table, name);
  const reached = new Set<number>();
  let level = [...own];
  while (level.length > 0) {
    level = level
      .flatMap((meaning) => [...above.subarray(aboveStarts[meaning] ?? 0, aboveStarts[meaning + 1] ?? 0)])
      .filter((meaning) => !reached.has(meaning));
    for (const meaning of level) reached.add(meaning);
  }
  return [...reached].filter((meaning) => !own.includes(meaning));
}
