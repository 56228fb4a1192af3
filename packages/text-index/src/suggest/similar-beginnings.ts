import type { Segment } from "../segment/segment.ts";
import { PrefixDistance } from "../text/prefix-distance.ts";

/** From this length on one typing error is allowed, and from the second length on two. */
const minLength = 4;
const twoEditsFromLength = 8;
// The first letter is rarely wrong, so such a word counts as half an edit further away.
const firstLetterPenalty = 0.5;
const foldedLetters = /^[\p{L}\p{M}]+$/u;

/** A word that begins with the typed text, except for typing errors. */
export interface SimilarBeginning {
  /** Its index among the segment's words. */
  readonly word: number;
  /** The number of edits. */
  readonly cost: number;
}

/** Prepares the typed text for comparison with the beginnings of words; undefined if only exact matches are allowed. */
export function createLikeness(typed: string): Likeness | undefined {
  return typed.length < minLength || !foldedLetters.test(typed) ? undefined : new Likeness(typed);
}

/** Compares the typed text with words. The mask of a word's letters excludes most words quickly. */
export class Likeness {
  readonly #first: number;
  readonly #mask: number;
  readonly #limit: number;
  /** Letters of a word after these do not affect its distance. */
  readonly #letters: number;
  readonly #distance: PrefixDistance;

  constructor(typed: string) {
    this.#first = typed.codePointAt(0) ?? 0;
    this.#mask = letterMask(typed);
    this.#limit = typed.length < twoEditsFromLength ? 1 : 2;
    this.#letters = typed.length + this.#limit;
    this.#distance = new PrefixDistance(typed, this.#limit);
  }

  /** The distance of the text from a beginning of the word; undefined if it is too large. */
  costOf(text: string, mask: number): number | undefined {
    if (hasMoreBits(this.#mask & ~mask, this.#limit)) return undefined;
    const edits = this.#distance.to(text);
    if (edits > this.#limit) return undefined;
    return edits + (text.codePointAt(0) === this.#first ? 0 : firstLetterPenalty);
  }

  /** The words of a segment with a similar beginning, in the order of the segment. */
  wordsOf(segment: Segment): SimilarBeginning[] {
    const { offsets, bytes } = segment.words;
    const masks = beginningMasks(segment, this.#letters);
    const firstBytes = new TextEncoder().encode(String.fromCodePoint(this.#first));
    const found: SimilarBeginning[] = [];
    for (let word = 0; word < masks.length; word++) {
      if (hasMoreBits(this.#mask & ~(masks[word] ?? 0), this.#limit)) continue;
      const start = offsets[word] ?? 0;
      const edits = this.#distance.toBytes(bytes, start, offsets[word + 1] ?? 0);
      if (edits > this.#limit) continue;
      const isSameLetter = firstBytes.every((byte, i) => bytes[start + i] === byte);
      found.push({ word, cost: edits + (isSameLetter ? 0 : firstLetterPenalty) });
    }
    return found;
  }
}

/** The letters of a text as a set of 32 bits: an edit removes at most one of the typed letters. */
export function letterMask(text: string): number {
  let mask = 0;
  for (const letter of text) mask |= 1 << ((letter.codePointAt(0) ?? 0) & 31);
  return mask;
}

/** The letters of beginnings with more letters than this are not kept apart from those of whole words. */
const maxLetters = 12;

const masksOf = new WeakMap<Segment, Uint32Array[]>();

/** For each word, the letters of its beginning of that length. */
function beginningMasks(segment: Segment, letters: number): Uint32Array {
  const known = masksOf.get(segment) ?? [];
  masksOf.set(segment, known);
  const length = Math.min(letters, maxLetters);
  known[length] ??= computeMasks(segment, length < maxLetters ? length : Number.POSITIVE_INFINITY);
  return known[length];
}

function computeMasks({ words: { offsets, bytes } }: Segment, letters: number): Uint32Array {
  const masks = new Uint32Array(offsets.length - 1);
  for (let word = 0; word < masks.length; word++) {
    let mask = 0;
    const end = offsets[word + 1] ?? 0;
    for (let at = offsets[word] ?? 0, read = 0; at < end && read < letters; at++) {
      // The last byte of a UTF-8 character has the low bits of its code point.
      if (at + 1 < end && ((bytes[at + 1] ?? 0) & 0xc0) === 0x80) continue;
      mask |= 1 << ((bytes[at] ?? 0) & 31);
      read++;
    }
    masks[word] = mask;
  }
  return masks;
}

/** Whether more than `limit` bits are set. Each round clears the last one. */
function hasMoreBits(bits: number, limit: number): boolean {
  let left = bits;
  for (let i = 0; i < limit; i++) left &= left - 1;
  return left !== 0;
}
