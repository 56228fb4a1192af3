import { noWord, wordsPerPhrase } from "../phrases/phrase-room.ts";
import type { Segment } from "../segment/segment.ts";
import { wordAt } from "../segment/word-forms.ts";

const phrasesOfSegment = new WeakMap<Segment, Map<number | undefined, SegmentPhrases>>();

/** Data computed from a segment's phrases, cached as long as the segment. */
export function phrasesOf(segment: Segment, source: number | undefined): SegmentPhrases {
  const bySource = phrasesOfSegment.get(segment) ?? new Map<number | undefined, SegmentPhrases>();
  phrasesOfSegment.set(segment, bySource);
  const phrases = bySource.get(source) ?? new SegmentPhrases(segment, source);
  bySource.set(source, phrases);
  return phrases;
}

/** The phrases of one source in a segment, or of all: the most frequent of each source first. */
export class SegmentPhrases {
  readonly segment: Segment;
  readonly #start: number;
  readonly #end: number;

  constructor(segment: Segment, source: number | undefined) {
    this.segment = segment;
    const { phraseCounts, phraseSources } = segment.sections;
    let start = 0;
    while (start < phraseCounts.length && source !== undefined && phraseSources[start] !== source) start++;
    let end = start;
    while (
      end < phraseCounts.length &&
      phraseCounts[end] !== 0 &&
      (source === undefined || phraseSources[end] === source)
    )
      end++;
    this.#start = start;
    this.#end = end;
  }

  /** The phrases with the wanted words next to each other: at the start, or anywhere. */
  *matching(wanted: Wanted, anywhere: boolean): Generator<Match> {
    const { phraseWords } = this.segment.sections;
    const lastStart = anywhere ? wordsPerPhrase - wanted.terms.length - 1 : 0;
    for (let phrase = this.#start; phrase < this.#end; phrase++) {
      const first = phrase * wordsPerPhrase;
      for (let start = 0; start <= lastStart; start++) {
        if (!this.#has(first + start, wanted)) continue;
        yield { words: this.#wordsOf(phraseWords.subarray(first, first + wordsPerPhrase)), start };
        break;
      }
    }
  }

  #has(at: number, { terms, from, to, marks }: Wanted): boolean {
    const { phraseWords, wordTerms } = this.segment.sections;
    const next = phraseWords[at + terms.length] ?? noWord;
    if (next < from || next >= to || (marks !== undefined && marks[next] !== 1)) return false;
    for (let i = 0; i < terms.length; i++)
      if (wordTerms[phraseWords[at + i] ?? noWord] !== terms[i]) return false;
    return true;
  }

  #wordsOf(words: Uint32Array): string[] {
    const numbers = Array.from(words).filter((word) => word !== noWord);
    return numbers.map((word) => wordAt(this.segment.words, word));
  }
}

export interface Match {
  readonly words: readonly string[];
  /** Where the wanted words must begin. */
  readonly start: number;
}

/** Whole words by their terms, then a word whose number is in `[from, to)` and which is marked, if there are marks. */
export interface Wanted {
  readonly terms: readonly number[];
  readonly from: number;
  readonly to: number;
  readonly marks?: Uint8Array;
}
