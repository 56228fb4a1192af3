import type { Segment } from "../segment/segment.ts";
import { stringCount } from "../segment/string-table.ts";
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
  readonly #distance: PrefixDistance;

  constructor(typed: string) {
    this.#first = typed.codePointAt(0) ?? 0;
    this.#mask = letterMask(typed);
    this.#limit = typed.length < twoEditsFromLength ? 1 : 2;
    this.#distance = new PrefixDistance(typed, this.#limit);
  }

  /** The distance of the text from a beginning of the word; undefined if it is too large. */
  costOf(text: string, mask: number): number | undefined {
    if (bitCount(this.#mask & ~mask) > this.#limit) return undefined;
    const edits = this.#distance.to(text);
    if (edits > this.#limit) return undefined;
    return edits + (text.codePointAt(0) === this.#first ? 0 : firstLetterPenalty);
  }

  /** The words of a segment with a similar beginning, in the order of the segment. */
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

/** The letters of a text as a set of 32 bits: an edit removes at most one of the typed letters. */
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
