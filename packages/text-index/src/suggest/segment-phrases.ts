import type { Segment } from "../segment/segment.ts";
import { noWord, wordsPerPhrase } from "../segment/segment-tables.ts";
import { stringCount } from "../segment/string-table.ts";
import { wordAt } from "../segment/term-roles.ts";

const phrasesOfSegment = new WeakMap<Segment, Map<number | undefined, SegmentPhrases>>();

/** Data computed from a segment's phrases, cached as long as the segment. */
export function phrasesOf(segment: Segment, source: number | undefined): SegmentPhrases {
  const bySource = phrasesOfSegment.get(segment) ?? new Map<number | undefined, SegmentPhrases>();
  phrasesOfSegment.set(segment, bySource);
  const phrases = bySource.get(source) ?? new SegmentPhrases(segment, source);
  bySource.set(source, phrases);
  return phrases;
}

/**
 * The phrases of one source in a segment, or of all: the most frequent of each source first. A place is the number of a
 * phrase times `wordsPerPhrase`, plus the position of a word in it.
 */
export class SegmentPhrases {
  readonly segment: Segment;
  readonly #placesOfWord: PlacesByKey;
  readonly #placesOfTerm: PlacesByKey;

  constructor(segment: Segment, source: number | undefined) {
    this.segment = segment;
    const { phraseWords, wordTerms } = segment.sections;
    const [start, end] = rangeOf(segment, source);
    const words = phraseWords.subarray(0, end * wordsPerPhrase);
    const terms = words.map((word) => (word === noWord ? noWord : (wordTerms[word] ?? noWord)));
    this.#placesOfWord = new PlacesByKey(words, start * wordsPerPhrase, stringCount(segment.words));
    this.#placesOfTerm = new PlacesByKey(terms, start * wordsPerPhrase, stringCount(segment.terms));
  }

  /** Where the phrases have the words numbered `[from, to)`. */
  placesOfRange(from: number, to: number): PlaceSet {
    return this.#placesOfWord.setOf([[from, to]]);
  }

  /** Where the phrases have one of the words. */
  placesOfWords(words: readonly number[]): PlaceSet {
    return this.#placesOfWord.setOf(words.map((word) => [word, word + 1]));
  }

  /**
   * The phrases that have the terms next to each other and then a word at one of the places: at the start, or anywhere.
   */
  *matching(terms: readonly number[], next: PlaceSet, anywhere: boolean): Generator<Match> {
    const { phraseWords } = this.segment.sections;
    let lastPhrase = -1;
    for (const place of this.#candidates(terms, next)) {
      const phrase = Math.floor(place / wordsPerPhrase);
      const start = place - terms.length - phrase * wordsPerPhrase;
      if (start < 0 || (start > 0 && !anywhere) || phrase === lastPhrase) continue;
      if (!this.#hasTerms(place - terms.length, terms)) continue;
      lastPhrase = phrase;
      const first = phrase * wordsPerPhrase;
      yield { words: this.#wordsOf(phraseWords.subarray(first, first + wordsPerPhrase)), start };
    }
  }

  /** Places of `next` in ascending order: all, or those after the last term. */
  *#candidates(terms: readonly number[], next: PlaceSet): Generator<number> {
    const last = terms.at(-1);
    if (last === undefined) yield* placesIn(next);
    else for (const place of this.#placesOfTerm.of(last)) if (hasPlace(next, place + 1)) yield place + 1;
  }

  #hasTerms(at: number, terms: readonly number[]): boolean {
    const { phraseWords, wordTerms } = this.segment.sections;
    return terms.every((term, i) => wordTerms[phraseWords[at + i] ?? noWord] === term);
  }

  #wordsOf(words: Uint32Array): string[] {
    const numbers = Array.from(words).filter((word) => word !== noWord);
    return numbers.map((word) => wordAt(this.segment.words, word));
  }
}

/** The phrases of a source, or all: from the first to the one after the last. */
function rangeOf(segment: Segment, source: number | undefined): readonly [start: number, end: number] {
  const { phraseCounts, phraseSources } = segment.sections;
  const isWanted = (phrase: number) => source === undefined || phraseSources[phrase] === source;
  let start = 0;
  while (start < phraseCounts.length && !isWanted(start)) start++;
  let end = start;
  while (end < phraseCounts.length && phraseCounts[end] !== 0 && isWanted(end)) end++;
  return [start, end];
}

export interface Match {
  readonly words: readonly string[];
  /** Where the terms begin. */
  readonly start: number;
}

/** A set of places in phrases: one bit each. */
export type PlaceSet = Uint32Array;

function hasPlace(places: PlaceSet, place: number): boolean {
  return ((places[place >>> 5] ?? 0) & (1 << (place & 31))) !== 0;
}

/** Ascending. */
function* placesIn(places: PlaceSet): Generator<number> {
  for (let i = 0; i < places.length; i++)
    for (let bits = places[i] ?? 0; bits !== 0; bits &= bits - 1)
      yield (i << 5) + 31 - Math.clz32(bits & -bits);
}

/** Places by the number of a word or a term. */
class PlacesByKey {
  /** The places of each key, ascending. */
  readonly #places: Uint32Array;
  /** Where those of each key start; one entry more than there are keys. */
  readonly #starts: Uint32Array;
  readonly #size: number;

  /** `keys` has the key of each place. Places before `from`, and those with a key of `count` or more, are left out. */
  constructor(keys: Uint32Array, from: number, count: number) {
    this.#size = keys.length;
    const starts = new Uint32Array(count + 1);
    const used = keys.subarray(from);
    for (const key of used) if (key < count) starts[key + 1] = (starts[key + 1] ?? 0) + 1;
    for (let key = 0; key < count; key++) starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0);
    const next = starts.slice();
    this.#places = new Uint32Array(starts[count] ?? 0);
    for (let i = 0; i < used.length; i++) {
      const key = used[i] ?? count;
      if (key >= count) continue;
      const at = next[key] ?? 0;
      next[key] = at + 1;
      this.#places[at] = from + i;
    }
    this.#starts = starts;
  }

  of(key: number): Uint32Array {
    return this.#places.subarray(this.#starts[key] ?? 0, this.#starts[key + 1] ?? 0);
  }

  /** The places of all keys in the ranges. */
  setOf(ranges: ReadonlyArray<readonly [from: number, to: number]>): PlaceSet {
    const set = new Uint32Array((this.#size + 31) >>> 5);
    for (const [from, to] of ranges)
      for (let i = this.#starts[from] ?? 0; i < (this.#starts[to] ?? 0); i++) {
        const place = this.#places[i] ?? 0;
        set[place >>> 5] = (set[place >>> 5] ?? 0) | (1 << (place & 31));
      }
    return set;
  }
}
