import type { Segment } from "../segment/segment.ts";
import { stringCount } from "../segment/string-table.ts";
import { PrefixDistance } from "../text/prefix-distance.ts";

/** From so many letters on a slip is forgiven, and from more two. */
const minLength = 4;
const twoEditsFromLength = 8;
// Slips of the first letter are rare: such a word counts as half an edit further away.
const firstLetterPenalty = 0.5;
const foldedLetters = /^[\p{L}\p{M}]+$/u;

/** A word that begins nearly as was typed. */
export interface SimilarBeginning {
  /** Its place among the segment's words. */
  readonly word: number;
  /** How far away it is. */
  readonly cost: number;
}

/** What was typed, to be compared with beginnings of words; undefined when nothing but the very letters will do. */
export function createLikeness(typed: string): Likeness | undefined {
  return typed.length < minLength || !foldedLetters.test(typed) ? undefined : new Likeness(typed);
}

/** Compares what was typed with words. One look at the letters of a word tells most that are too far away. */
export class Likeness {
  readonly #first: number;
  readonly #mask: number;
  readonly #limit: number;
  readonly #distance: PrefixDistance;

  constructor(typed: string) {
    this.#first = typed.codePointAt(0) ?? 0;
    this.#mask = letterMask(typed);
    this.#limit = typed.length < twoEditsFromLength ? 1 : 2;
    this.#distance = new PrefixDistance(typed, this.#limit);
  }

  /** How far the text is from beginning so; undefined when too far. */
  costOf(text: string, mask: number): number | undefined {
    if (bitCount(this.#mask & ~mask) > this.#limit) return undefined;
    const edits = this.#distance.to(text);
    if (edits > this.#limit) return undefined;
    return edits + (text.codePointAt(0) === this.#first ? 0 : firstLetterPenalty);
  }

  /** The words of a segment that begin so nearly, in the order of the segment. */
  wordsOf(segment: Segment): SimilarBeginning[] {
    const { offsets, bytes } = segment.words;
    const masks = wordMasks(segment);
    const firstBytes = new TextEncoder().encode(String.fromCodePoint(this.#first));
    const found: SimilarBeginning[] = [];
    for (let word = 0; word < masks.length; word++) {
      if (bitCount(this.#mask & ~(masks[word] ?? 0)) > this.#limit) continue;
      const start = offsets[word] ?? 0;
      const edits = this.#distance.toBytes(bytes, start, offsets[word + 1] ?? 0);
      if (edits > this.#limit) continue;
      const isSameLetter = firstBytes.every((byte, i) => bytes[start + i] === byte);
      found.push({ word, cost: edits + (isSameLetter ? 0 : firstLetterPenalty) });
    }
    return found;
  }
}

/** The letters of a text as a set of 32 bits: an edit takes away at most one of those typed. */
export function letterMask(text: string): number {
  let mask = 0;
  for (const letter of text) mask |= 1 << ((letter.codePointAt(0) ?? 0) & 31);
  return mask;
}

const masksOf = new WeakMap<Segment, Uint32Array>();

function wordMasks(segment: Segment): Uint32Array {
  const known = masksOf.get(segment);
  if (known !== undefined) return known;
  const { offsets, bytes } = segment.words;
  const masks = new Uint32Array(stringCount(segment.words));
  for (let word = 0; word < masks.length; word++) {
    let mask = 0;
    const end = offsets[word + 1] ?? 0;
    for (let at = offsets[word] ?? 0; at < end; at++) {
      // The last byte of a UTF-8 character has the low bits of its code point.
      if (at + 1 < end && ((bytes[at + 1] ?? 0) & 0xc0) === 0x80) continue;
      mask |= 1 << ((bytes[at] ?? 0) & 31);
    }
    masks[word] = mask;
  }
  masksOf.set(segment, masks);
  return masks;
}

function bitCount(bits: number): number {
  let pairs = bits - ((bits >>> 1) & 0x55555555);
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
