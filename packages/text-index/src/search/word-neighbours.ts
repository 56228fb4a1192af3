import type { Segment } from "../segment/segment.ts";
import { stringAt, stringCount } from "../segment/string-table.ts";
import { EditDistance } from "../text/edit-distance.ts";
import { BoundedCache } from "./bounded-cache.ts";

export interface Neighbour {
  readonly word: string;
  readonly distance: number;
}

const cachedWords = 2_000;
const longest = 255;

/**
 * The words of a segment by length, each with the set of its letters as 32 bits. One edit changes at most one bit in
 * each direction, and the length by one.
 */
interface Shapes {
  readonly masks: Uint32Array;
  /** The index of each word in the segment's table. */
  readonly words: Uint32Array;
  /** The start of the words of each length. */
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

  /** Words at most `limit` edits away. One pass over 4-byte masks leaves only few words to compare in full. */
  find(word: string, limit: number): readonly Neighbour[] {
    return this.#cache.get(`${limit} ${word}`, () => this.#scan(word, limit));
  }

  #scan(word: string, limit: number): Neighbour[] {
    this.#shapes ??= shapesOf(this.#segment);
    const { masks, words, starts } = this.#shapes;
    const { words: table } = this.#segment;
    const { mask, length } = shapeOfBytes(new TextEncoder().encode(word));
    const distance = new EditDistance(
      Array.from(word, (letter) => letter.codePointAt(0) ?? 0),
      limit,
    );
    const found: Neighbour[] = [];
    const end = starts[Math.min(longest, length + limit) + 1] ?? 0;
    for (let i = starts[Math.max(0, length - limit)] ?? 0; i < end; i++) {
      const other = masks[i] ?? 0;
      if (bitCount(mask & ~other) > limit || bitCount(other & ~mask) > limit) continue;
      const number = words[i] ?? 0;
      const edits = distance.toBytes(table.bytes, table.offsets[number] ?? 0, table.offsets[number + 1] ?? 0);
      if (edits <= limit) found.push({ word: stringAt(table, number), distance: edits });
    }
    return found;
  }
}

function shapesOf({ words: table }: Segment): Shapes {
  const count = stringCount(table);
  const shapes = Array.from({ length: count }, (_, i) =>
    shapeOfBytes(table.bytes.subarray(table.offsets[i] ?? 0, table.offsets[i + 1] ?? 0)),
  );
  const starts = new Uint32Array(longest + 2);
  for (const { length } of shapes) starts[length + 1] = (starts[length + 1] ?? 0) + 1;
  for (let length = 1; length < starts.length; length++)
    starts[length] = (starts[length] ?? 0) + (starts[length - 1] ?? 0);
  const next = starts.slice();
  const masks = new Uint32Array(count);
  const words = new Uint32Array(count);
  shapes.forEach(({ mask, length }, word) => {
    const place = next[length] ?? 0;
    next[length] = place + 1;
    masks[place] = mask;
    words[place] = word;
  });
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
