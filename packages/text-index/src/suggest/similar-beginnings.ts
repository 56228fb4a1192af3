import type { Segment } from "../segment/segment.ts";
import { sharedLetters } from "../segment/string-table.ts";
import { PrefixDistance, SortedPrefixDistance } from "../text/edit-distance.ts";

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

/** Compares the typed text with the beginnings of words. */
export class Likeness {
  readonly #typed: string;
  readonly #first: number;
  readonly #mask: number;
  readonly #limit: number;
  readonly #distance: PrefixDistance;

  constructor(typed: string) {
    this.#typed = typed;
    this.#first = typed.codePointAt(0) ?? 0;
    this.#mask = letterMask(typed);
    this.#limit = typed.length < twoEditsFromLength ? 1 : 2;
    this.#distance = new PrefixDistance(typed, this.#limit);
  }

  /** The distance of the text from a beginning of the word; undefined if it is too large. The mask excludes most words. */
  costOf(text: string, mask: number): number | undefined {
    if (hasMoreBits(this.#mask & ~mask, this.#limit)) return undefined;
    const edits = this.#distance.to(text);
    if (edits > this.#limit) return undefined;
    return edits + (text.codePointAt(0) === this.#first ? 0 : firstLetterPenalty);
  }

  /** The words of a segment with a similar beginning, in the order of the segment. */
  wordsOf(segment: Segment): SimilarBeginning[] {
    const { offsets, bytes } = segment.words;
    const shared = sharedLettersOf(segment);
    const distance = new SortedPrefixDistance(this.#typed, this.#limit);
    const firstBytes = new TextEncoder().encode(String.fromCodePoint(this.#first));
    const found: SimilarBeginning[] = [];
    for (let word = 0, next = 0; word < shared.length; word = next) {
      const start = offsets[word] ?? 0;
      const edits = distance.next(bytes, start, offsets[word + 1] ?? 0, shared[word] ?? 0);
      const { lettersForSame } = distance;
      for (next = word + 1; next < shared.length && (shared[next] ?? 0) >= lettersForSame; ) next++;
      if (edits > this.#limit) continue;
      const isSameLetter = firstBytes.every((byte, i) => bytes[start + i] === byte);
      const cost = edits + (isSameLetter ? 0 : firstLetterPenalty);
      for (let similar = word; similar < next; similar++) found.push({ word: similar, cost });
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

const sharedOf = new WeakMap<Segment, Uint8Array>();

/** For each word, the number of letters that it shares with the word before; computed on first use. */
function sharedLettersOf(segment: Segment): Uint8Array {
  const known = sharedOf.get(segment) ?? sharedLetters(segment.words);
  sharedOf.set(segment, known);
  return known;
}

/** Whether more than `limit` bits are set. Each round clears the last one. */
function hasMoreBits(bits: number, limit: number): boolean {
  let left = bits;
  for (let i = 0; i < limit; i++) left &= left - 1;
  return left !== 0;
}
