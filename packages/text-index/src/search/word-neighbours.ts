import { BoundedCache } from "../bounded-cache.ts";
import type { Segment } from "../segment/segment.ts";
import { stringCount } from "../segment/string-table.ts";
import { endOfWord, wordAt } from "../segment/term-roles.ts";
import { EditDistance } from "../text/edit-distance.ts";
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
