import type { Segment } from "../segment/segment.ts";
import { stringAt, stringCount } from "../segment/string-table.ts";
import { EditDistance } from "../text/edit-distance.ts";
import { BoundedCache } from "./bounded-cache.ts";

export interface Neighbour {
  readonly word: string;
  readonly distance: number;
  /** The id, in this segment, of the term that the word is indexed under. */
  readonly term: number;
}

const CACHED_WORDS = 2_000;

/** The letters of a word as a set of 32 bits, and how many there are. An edit changes at most one bit each way. */
interface Shapes {
  readonly masks: Uint32Array;
  readonly lengths: Uint8Array;
}

/** Finds the words of a segment's vocabulary that resemble a word. */
export class WordNeighbours {
  readonly #segment: Segment;
  readonly #cache = new BoundedCache<string, readonly Neighbour[]>(CACHED_WORDS);
  #shapes: Shapes | undefined;

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  /** Words at most `limit` edits away. One pass over 4-byte masks leaves few words to compare in full. */
  find(word: string, limit: number): readonly Neighbour[] {
    return this.#cache.get(word, () => this.#scan(word, limit));
  }

  #scan(word: string, limit: number): Neighbour[] {
    this.#shapes ??= shapesOf(this.#segment);
    const { masks, lengths } = this.#shapes;
    const { words, sections } = this.#segment;
    const wanted = [...word].map((letter) => letter.codePointAt(0) ?? 0);
    const { mask, length } = shapeOfBytes(new TextEncoder().encode(word));
    const distance = new EditDistance(wanted, limit);
    const found: Neighbour[] = [];
    for (let i = 0; i < masks.length; i++) {
      if (Math.abs((lengths[i] ?? 0) - length) > limit) continue;
      const other = masks[i] ?? 0;
      if (bitCount(mask & ~other) > limit || bitCount(other & ~mask) > limit) continue;
      const edits = distance.toBytes(words.bytes, words.offsets[i] ?? 0, words.offsets[i + 1] ?? 0);
      if (edits <= limit)
        found.push({ word: stringAt(words, i), distance: edits, term: sections.wordTerms[i] ?? 0 });
    }
    return found;
  }
}

function shapesOf({ words }: Segment): Shapes {
  const count = stringCount(words);
  const masks = new Uint32Array(count);
  const lengths = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const { mask, length } = shapeOfBytes(
      words.bytes.subarray(words.offsets[i] ?? 0, words.offsets[i + 1] ?? 0),
    );
    masks[i] = mask;
    lengths[i] = length;
  }
  return { masks, lengths };
}

function shapeOfBytes(bytes: Uint8Array): { mask: number; length: number } {
  let mask = 0;
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    // The last byte of a UTF-8 character stands for it: one bit a character, in any script.
    if (((bytes[i + 1] ?? 0) & 0xc0) === 0x80) continue;
    mask |= 1 << ((bytes[i] ?? 0) & 31);
    length++;
  }
  return { mask, length: Math.min(length, 255) };
}

function bitCount(bits: number): number {
  let pairs = bits - ((bits >>> 1) & 0x55555555);
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
