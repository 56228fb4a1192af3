import { BoundedCache } from "../bounded-cache.ts";
import type { Segment } from "../segment/segment.ts";
import { stringCount } from "../segment/string-table.ts";
import { endOfWord, wordAt } from "../segment/term-roles.ts";
import { checkTime } from "../time-limit.ts";

export interface Neighbour {
  readonly word: string;
  readonly distance: number;
}

const cachedWords = 2_000;
const longest = 255;

/** A word is frequent if this many documents have it. */
const frequentFrom = 16;

/**
 * The words of a segment by length, the frequent ones of each length first, each with the set of its letters as 32 bits.
 * One edit changes at most one bit in each direction, and the length by one.
 */
interface Shapes {
  readonly masks: Uint32Array;
  /** The index of each word in the segment's table. */
  readonly words: Uint32Array;
  /** For each length, the start of its frequent words and of its other words: two numbers. */
  readonly starts: Uint32Array;
}

/** Finds the words of a segment that are similar to a word. */
export class WordNeighbours {
  readonly #segment: Segment;
  readonly #cache = new BoundedCache<string, readonly Neighbour[]>(cachedWords);
  #shapes: Shapes | undefined;

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  /**
   * Words at most `limit` edits away, which at least `documents` documents have; some with fewer may be among them. One pass
   * over 4-byte masks leaves only few words to compare in full.
   */
  find(word: string, limit: number, documents = 1): readonly Neighbour[] {
    const isFrequent = documents >= frequentFrom;
    return this.#cache.get(`${limit} ${isFrequent} ${word}`, () => this.#scan(word, limit, isFrequent));
  }

  #scan(word: string, limit: number, isFrequent: boolean): Neighbour[] {
    this.#shapes ??= shapesOf(this.#segment);
    const { masks, words, starts } = this.#shapes;
    const { words: table } = this.#segment;
    const { mask, length } = shapeOfBytes(new TextEncoder().encode(word));
    const distance = new EditDistance(
      Array.from(word, (letter) => letter.codePointAt(0) ?? 0),
      limit,
    );
    const found: Neighbour[] = [];
    for (let one = Math.max(0, length - limit); one <= Math.min(longest, length + limit); one++) {
      const end = starts[isFrequent ? 2 * one + 1 : 2 * one + 2] ?? 0;
      checkTime();
      const numbers: number[] = [];
      for (let i = starts[2 * one] ?? 0; i < end; i++) {
        const other = masks[i] ?? 0;
        if (bitCount(mask & ~other) <= limit && bitCount(other & ~mask) <= limit) numbers.push(words[i] ?? 0);
      }
      for (const number of numbers.sort((a, b) => a - b)) {
        const edits = distance.toBytes(table.bytes, table.offsets[number] ?? 0, endOfWord(table, number));
        if (edits <= limit) found.push({ word: wordAt(table, number), distance: edits });
      }
    }
    return found;
  }
}

function shapesOf({ words: table, sections: { wordTerms, postingOffsets } }: Segment): Shapes {
  const count = stringCount(table);
  const masksByWord = new Uint32Array(count);
  // Twice the length, and one more for words that are not frequent: the number of the group.
  const groups = new Uint16Array(count);
  const starts = new Uint32Array(2 * longest + 3);
  for (let word = 0; word < count; word++) {
    const { mask, length } = shapeOfBytes(
      table.bytes.subarray(table.offsets[word] ?? 0, endOfWord(table, word)),
    );
    const term = wordTerms[word] ?? 0;
    const documents = (postingOffsets[term + 1] ?? 0) - (postingOffsets[term] ?? 0);
    const group = 2 * length + (documents >= frequentFrom ? 0 : 1);
    masksByWord[word] = mask;
    groups[word] = group;
    starts[group + 1] = (starts[group + 1] ?? 0) + 1;
  }
  for (let group = 1; group < starts.length; group++)
    starts[group] = (starts[group] ?? 0) + (starts[group - 1] ?? 0);
  const next = starts.slice();
  const masks = new Uint32Array(count);
  const words = new Uint32Array(count);
  for (let word = 0; word < count; word++) {
    const group = groups[word] ?? 0;
    const place = next[group] ?? 0;
    next[group] = place + 1;
    masks[place] = masksByWord[word] ?? 0;
    words[place] = word;
  }
  return { masks, words, starts };
}

function shapeOfBytes(bytes: Uint8Array): { mask: number; length: number } {
  let mask = 0;
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    // The last byte of a UTF-8 character identifies it well enough: one bit per character, in any script.
    if (((bytes[i + 1] ?? 0) & 0xc0) === 0x80) continue;
    mask |= 1 << ((bytes[i] ?? 0) & 31);
    length++;
  }
  return { mask, length: Math.min(length, longest) };
}

function bitCount(bits: number): number {
  let pairs = bits - ((bits >>> 1) & 0x55555555);
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The distance from one word to others, up to `limit`; `limit + 1` if it is more. */
class EditDistance {
  readonly #from: readonly number[];
  readonly #limit: number;

  constructor(from: readonly number[], limit: number) {
    this.#from = from.slice(0, maxLetters);
    this.#limit = limit;
  }

  /** Distance to a word in UTF-8. */
  toBytes(bytes: Uint8Array, start: number, end: number): number {
    return this.#toLetters(readBytes(bytes, start, end, maxLetters));
  }

  to(word: string): number {
    return this.#toLetters(readString(word, maxLetters));
  }

  #toLetters(length: number): number {
    const tooFar = this.#limit + 1;
    if (Math.abs(this.#from.length - length) > this.#limit) return tooFar;
    const distances = align(this.#from, length, this.#limit);
    return Math.min(distances?.[length] ?? tooFar, tooFar);
  }
}

/** Distance between two short texts; `limit + 1` if it is more than `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  const letters = Array.from(a, (letter) => letter.codePointAt(0) ?? 0);
  return new EditDistance(letters, limit).to(b);
}

/** The distance from the typed text to the nearest beginning of a word, up to `limit`; `limit + 1` if it is more. */
export class PrefixDistance {
  readonly #typed: readonly number[];
  readonly #limit: number;
  /** Letters further back cannot be in a beginning that is near enough. */
  readonly #most: number;

  constructor(typed: string, limit: number) {
    this.#typed = Array.from(typed, (letter) => letter.codePointAt(0) ?? 0).slice(0, maxLetters);
    this.#limit = limit;
    this.#most = Math.min(maxLetters, this.#typed.length + limit);
  }

  to(word: string): number {
    const length = readString(word, this.#most);
    const distances = align(this.#typed, length, this.#limit);
    let nearest = this.#limit + 1;
    if (distances !== undefined)
      for (let j = 0; j <= length; j++) nearest = Math.min(nearest, distances[j] ?? nearest);
    return nearest;
  }
}

/**
 * The distances from the typed text to the nearest beginning of each of many sorted words, as `PrefixDistance` computes
 * them. Words that begin with the same letters share the work: there is one column of the alignment for each letter of
 * the word, and a column is computed again only from the first letter that differs from the word before.
 */
export class SortedPrefixDistance {
  readonly #typed: readonly number[];
  readonly #limit: number;
  /** Letters further back cannot be in a beginning that is near lettersForSame. */
  readonly #most: number;
  readonly #letters: Uint32Array;
  /** Column by column, the distance from each beginning of the typed text to the first letters of the word. */
  readonly #columns: Uint8Array;
  /** For each column, the distance from the typed text to the nearest beginning up to it. */
  readonly #nearest: Uint8Array;
  /** The last column computed for the word before. */
  #last = 0;
  #isFinal = false;

  constructor(typed: string, limit: number) {
    this.#typed = Array.from(typed, (letter) => letter.codePointAt(0) ?? 0).slice(0, maxLetters);
    this.#limit = limit;
    const length = this.#typed.length;
    this.#most = length + limit;
    this.#letters = new Uint32Array(this.#most);
    this.#columns = new Uint8Array((this.#most + 1) * (length + 1));
    this.#nearest = new Uint8Array(this.#most + 1);
    for (let i = 0; i <= length; i++) this.#columns[i] = i;
    this.#nearest[0] = length;
  }

  /**
   * The distance to the next word, in UTF-8; more than the limit if it is too large. `shared` is the number of letters
   * that it has in common with the word before.
   */
  next(bytes: Uint8Array, start: number, end: number, shared: number): number {
    this.#extend(bytes, start, end, Math.min(shared, this.#last));
    return this.#nearest[this.#last] ?? 0;
  }

  /** Following words that share this many letters, each with the word before it, have the same distance. */
  get lettersForSame(): number {
    return this.#isFinal ? this.#last : Number.POSITIVE_INFINITY;
  }

  #extend(bytes: Uint8Array, start: number, end: number, shared: number): void {
    let column = 0;
    this.#isFinal = false;
    for (let at = start; at < end && column < this.#most && !this.#isFinal; ) {
      const first = bytes[at++] ?? 0;
      let letter = first < 0x80 ? first : first & (first < 0xe0 ? 0x1f : first < 0xf0 ? 0x0f : 0x07);
      while (at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80)
        letter = (letter << 6) | ((bytes[at++] ?? 0) & 0x3f);
      this.#letters[column++] = letter;
      if (column > shared) this.#isFinal = this.#fill(column) > this.#limit || column === this.#most;
    }
    this.#last = column;
  }

  /** Computes a column by optimal string alignment. Returns its least distance, which later columns never go below. */
  #fill(column: number): number {
    const typed = this.#typed;
    const columns = this.#columns;
    const height = typed.length + 1;
    const at = column * height;
    const letter = this.#letters[column - 1];
    const letterBefore = this.#letters[column - 2];
    columns[at] = column;
    let least = column;
    for (let i = 1; i < height; i++) {
      const same = typed[i - 1] === letter;
      const left = at + i - height;
      let cost = Math.min((columns[at + i - 1] ?? 0) + 1, (columns[left] ?? 0) + 1);
      cost = Math.min(cost, (columns[left - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && column > 1 && typed[i - 1] === letterBefore && typed[i - 2] === letter)
        cost = Math.min(cost, (columns[left - height - 2] ?? 0) + 1);
      columns[at + i] = cost;
      least = Math.min(least, cost);
    }
    this.#nearest[column] = Math.min(this.#nearest[column - 1] ?? 0, columns[at + typed.length] ?? 0);
    return least;
  }
}

const maxLetters = 128;
// Shared by all comparisons: each one fills them again, and thousands of words are compared.
const letters = new Uint32Array(maxLetters);
const rowA = new Uint8Array(maxLetters + 1);
const rowB = new Uint8Array(maxLetters + 1);
const rowC = new Uint8Array(maxLetters + 1);

/** Reads at most `most` letters of a word in UTF-8, for the next `align`. Returns their number. */
function readBytes(bytes: Uint8Array, start: number, end: number, most: number): number {
  let length = 0;
  for (let at = start; at < end && length < most; length++) {
    const first = bytes[at++] ?? 0;
    let letter = first < 0x80 ? first : first & (first < 0xe0 ? 0x1f : first < 0xf0 ? 0x0f : 0x07);
    while (at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80)
      letter = (letter << 6) | ((bytes[at++] ?? 0) & 0x3f);
    letters[length] = letter;
  }
  return length;
}

/** The same for a string. */
function readString(word: string, most: number): number {
  let length = 0;
  for (const letter of word) {
    if (length === most) break;
    letters[length++] = letter.codePointAt(0) ?? 0;
  }
  return length;
}

/**
 * Optimal string alignment: the number of letters to insert, remove, change or swap with their neighbour to get from
 * `from` to each beginning of the letters that were read, by the length of the beginning. Undefined if all are more than
 * `limit`. The next call uses the same array.
 */
function align(from: readonly number[], length: number, limit: number): Uint8Array | undefined {
  let row = rowA;
  let last = rowB;
  let before = rowC;
  for (let j = 0; j <= length; j++) last[j] = j;
  for (let i = 1; i <= from.length; i++) {
    row[0] = i;
    let least = i;
    for (let j = 1; j <= length; j++) {
      const same = from[i - 1] === letters[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && from[i - 1] === letters[j - 2] && from[i - 2] === letters[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row[j] = cost;
      least = Math.min(least, cost);
    }
    if (least > limit) return undefined;
    const free = before;
    before = last;
    last = row;
    row = free;
  }
  return last;
}
