import { nameAt } from "../facets/frequent-values.ts";
import { perhapsAThing } from "../query/read-word.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import { selectBest } from "../search/top-hits.ts";
import { PrefixDistance, SortedPrefixDistance } from "../search/word-neighbours.ts";
import { eachDoc } from "../segment/packed-postings.ts";
import { type Postings, PostingsCursor, postingCount } from "../segment/postings.ts";
import type { Segment } from "../segment/segment.ts";
import { compareCodePoints, indexOfString, prefixRange, sharedLetters } from "../segment/string-table.ts";
import { numbersOfWord, timesNamed, timesThing, wordAt } from "../segment/term-roles.ts";
import { tokenize } from "../text/tokenize.ts";
import { checkedAtOnce, checkTime } from "../time-limit.ts";
import type { PlaceSet, SegmentPhrases } from "./segment-phrases.ts";

/** In lists of this many documents, a search for two terms that never occur together takes long. */
const longList = 500;

/** The number of best documents with a word that are checked. */
const namesLookedAt = 64;

/** At most this many typed words may be the beginning of a phrase. Words before them do not change. */
const maxPhraseStart = 2;
/** At most this many completions are checked for products. */
const maxLookups = 48;
/** At most this many words with the typed prefix are considered. */
const maxWords = 4096;
/** With fewer completions than this, the typed text may have a typing error. */
const few = 3;

/** Completes a query to searches that find a product of the source. */
export class QueryCompletion {
  readonly #readers: readonly SegmentReader[];
  readonly #source: number | undefined;
  readonly #phrases: readonly SegmentPhrases[];
  readonly #limit: number;
  readonly #termOf: (word: string) => string;
  /** By the terms of the query, so that no search is suggested twice. */
  readonly #found = new Map<string, string>();
  #lookups = 0;

  constructor(
    readers: readonly SegmentReader[],
    phrases: readonly SegmentPhrases[],
    source: number | undefined,
    limit: number,
    termOf: (word: string) => string,
  ) {
    this.#termOf = termOf;
    this.#readers = readers;
    this.#source = source;
    this.#phrases = phrases;
    this.#limit = limit;
  }

  complete(typed: TypedText): string[] {
    const whole = typed.whole.flatMap((word) => this.#known(word));
    this.#fromPhrases(whole, typed.begun);
    this.#fromWords(whole, typed.begun);
    if (this.#found.size < Math.min(few, this.#limit)) this.#fromSlips(whole, typed.begun);
    return [...this.#found.values()];
  }

  /** A whole word, corrected if no product has it; nothing if no word is similar, because a search would ignore it. */
  #known(word: string): string[] {
    if (hasDocument(this.#readers, [this.#termOf(word)], this.#source)) return [word];
    const limit = word.length < 4 ? 0 : word.length < 7 ? 1 : 2;
    const neighbours =
      limit === 0 ? [] : this.#readers.flatMap(({ state }) => state.neighbours.find(word, limit));
    const nearest = neighbours
      .sort((a, b) => a.distance - b.distance)
      .find((other) => hasDocument(this.#readers, [this.#termOf(other.word)], this.#source));
    return nearest === undefined ? [] : [nearest.word];
  }

  /**
   * First phrases that begin with the typed words, then phrases that contain them, then phrases that match fewer of
   * them.
   */
  #fromPhrases(whole: readonly string[], begun: string): void {
    for (const phrases of this.#phrases) {
      const [from, to] = prefixRange(phrases.segment.words, begun);
      this.#fromMatches(phrases, whole, phrases.placesOfRange(from, to));
    }
  }

  #fromMatches(phrases: SegmentPhrases, whole: readonly string[], next: PlaceSet): void {
    for (let taken = Math.min(maxPhraseStart, whole.length); taken >= 0 && !this.#isDone(); taken--) {
      const before = whole.slice(0, whole.length - taken);
      const terms = whole
        .slice(whole.length - taken)
        .map((word) => indexOfString(phrases.segment.terms, this.#termOf(word)));
      if (terms.includes(-1)) continue;
      for (const { words } of phrases.matching(terms, next, false)) {
        this.#offer([...before, ...words]);
        if (this.#isDone()) return;
      }
      if (before.length > 0) continue;
      for (const { words, start } of phrases.matching(terms, next, true)) {
        if (start > 0) this.#offer(words);
        if (this.#isDone()) return;
      }
    }
  }

  /** Words that are not in a frequent phrase. */
  #fromWords(whole: readonly string[], begun: string): void {
    if (this.#isDone() || begun === "") return;
    this.#offerWords(whole, (segment) => {
      const [from, to] = prefixRange(segment.words, begun);
      return Array.from({ length: Math.min(to - from, maxWords) }, (_, i) => ({ word: from + i, cost: 0 }));
    });
  }

  /** Completions with a typing error: phrases with a similar word, most similar first, then such words alone. */
  #fromSlips(whole: readonly string[], begun: string): void {
    const likeness = createLikeness(begun);
    if (likeness === undefined) return;
    this.#lookups = 0;
    const similar = new Map(this.#readers.map(({ segment }) => [segment, likeness.wordsOf(segment)]));
    for (const phrases of this.#phrases) {
      const byCost = Map.groupBy(similar.get(phrases.segment) ?? [], ({ cost }) => cost);
      for (const [, words] of [...byCost].sort(([a], [b]) => a - b)) {
        this.#fromMatches(phrases, whole, phrases.placesOfWords(words.map(({ word }) => word)));
      }
    }
    this.#offerWords(whole, (segment) => similar.get(segment) ?? []);
  }

  /** Most similar first, then by the number of documents. */
  #offerWords(whole: readonly string[], choose: (segment: Segment) => readonly SimilarBeginning[]): void {
    if (this.#isDone()) return;
    // No more words are looked up, so the others need not be read.
    const most = maxLookups - this.#lookups;
    const likeliest = likeliestWords(
      this.#readers.map(({ segment }) => [segment, choose(segment)]),
      most,
    );
    for (const word of likeliest) {
      if (this.#isDone()) return;
      if (isInName(this.#readers, word, this.#source)) this.#offer([...whole, word]);
      else this.#lookups++;
    }
  }

  #offer(words: readonly string[]): void {
    this.#lookups++;
    const terms = words.map(this.#termOf);
    // "running running shoes" asks for no more than "running shoes".
    if (new Set(terms).size < terms.length) return;
    const key = terms.join(" ");
    if (this.#found.has(key) || !hasDocument(this.#readers, terms, this.#source, this.#nameThing(terms)))
      return;
    this.#found.set(key, words.join(" "));
  }

  /** Whether one of the terms is usually the thing in names that have it. */
  #nameThing(terms: readonly string[]): boolean {
    return terms.some((term) => {
      let named = 0;
      let things = 0;
      for (const reader of this.#readers) {
        const id = reader.idOf(term);
        named += timesNamed(reader.segment.sections, id);
        things += timesThing(reader.segment.sections, id);
      }
      return things >= perhapsAThing * Math.max(1, named);
    });
  }

  #isDone(): boolean {
    return this.#found.size >= this.#limit || this.#lookups >= maxLookups;
  }
}

/**
 * Whether a live document of the source, or of any, has all the terms. Stops at the first one, usually at once. `isKind`: one of the
 * terms has to be the thing that the document is: a set of hangers with diapers is none of the diapers.
 */
function hasDocument(
  readers: readonly SegmentReader[],
  terms: readonly string[],
  source: number | undefined,
  isKind = false,
): boolean {
  return readers.some((reader) => hasOne(reader, terms, source, isKind));
}

function hasOne(
  reader: SegmentReader,
  terms: readonly string[],
  source: number | undefined,
  isKind: boolean,
): boolean {
  checkTime();
  const ids = terms.map((term) => reader.idOf(term));
  if (ids.includes(-1)) return false;
  const lists = ids.map((id) => reader.postingsOfTerm(id)).sort((a, b) => postingCount(a) - postingCount(b));
  const [rarest, ...others] = lists;
  if (rarest === undefined || !canMeet(reader, ids, rarest)) return false;
  const hidden = reader.hidden(source);
  const cursors = others.map((list) => new PostingsCursor(list));
  let looked = 0;
  for (const doc of rarest.docs) {
    if (hidden.has(doc) || !cursors.every((cursor) => cursor.impactOn(doc) > 0)) continue;
    if (!isKind || thingsOf(reader, doc).some((term) => ids.includes(term))) return true;
    if (++looked === namesLookedAt) return false;
  }
  return false;
}

/** The terms for what a document is: the last words of the head of its name and of its category. */
function thingsOf({ segment }: SegmentReader, doc: number): number[] {
  const { nameOffsets, nameHeads, nameWords, wordTerms, categories } = segment.sections;
  const head = (nameHeads[doc] ?? 0) - 1;
  const word = nameWords[(nameOffsets[doc] ?? 0) + head] ?? 0;
  const ofCategory = categoryTerms(segment, categories[doc] ?? 0);
  return head < 0 ? ofCategory : [wordTerms[word] ?? 0, ...ofCategory];
}

const categoryTermsOf = new WeakMap<Segment, number[][]>();

function categoryTerms(segment: Segment, category: number): number[] {
  const known = categoryTermsOf.get(segment) ?? [];
  categoryTermsOf.set(segment, known);
  known[category] ??= tokenize(nameAt(segment, "categories", category).split(">").at(-1) ?? "")
    .slice(-1)
    .flatMap((word) => numbersOfWord(segment.words, word))
    .map((word) => segment.sections.wordTerms[word] ?? 0);
  return known[category];
}

/** False if two of the terms are in no document together. Of frequent terms this is known after the first time. */
function canMeet(reader: SegmentReader, ids: readonly number[], rarest: Postings): boolean {
  if (postingCount(rarest) < longList) return true;
  return ids.every((id, i) => ids.slice(i + 1).every((other) => reader.areTogether(id, other)));
}

/**
 * Whether the word names things: one of the best documents of the source has it in its name, not only in its
 * description.
 */
function isInName(readers: readonly SegmentReader[], word: string, source: number | undefined): boolean {
  return readers.some((reader) => {
    const { segment } = reader;
    const hidden = reader.hidden(source);
    const { nameOffsets, nameWords, wordTerms } = segment.sections;
    return reader.idsOfWord(word).some((index) => {
      const term = wordTerms[index] ?? 0;
      let looked = 0;
      for (const doc of eachDoc(segment.sections, term)) {
        if (hidden.has(doc)) continue;
        if (++looked > namesLookedAt) return false;
        for (let i = nameOffsets[doc] ?? 0; i < (nameOffsets[doc + 1] ?? 0); i++)
          if (nameWords[i] === index) return true;
      }
      return false;
    });
  });
}

/**
 * The most similar of the candidates, then those in most documents. Only the first of each segment are read as strings:
 * there may be thousands of candidates.
 */
function likeliestWords(
  candidates: ReadonlyArray<readonly [Segment, readonly SimilarBeginning[]]>,
  most: number,
): string[] {
  const words = new Map<string, { cost: number; documents: number }>();
  for (const [segment, similar] of candidates)
    for (const { word, cost, documents } of bestOf(segment, similar, most)) {
      const text = wordAt(segment.words, word);
      words.set(text, { cost, documents: documents + (words.get(text)?.documents ?? 0) });
    }
  return [...words]
    .sort(([a, x], [b, y]) => x.cost - y.cost || y.documents - x.documents || compareCodePoints(a, b))
    .map(([text]) => text);
}

interface Candidate extends SimilarBeginning {
  readonly documents: number;
}

function bestOf(segment: Segment, similar: readonly SimilarBeginning[], most: number): Candidate[] {
  const { wordTerms, postingOffsets } = segment.sections;
  const documents = Uint32Array.from(similar, ({ word }) => {
    const term = wordTerms[word] ?? 0;
    return (postingOffsets[term + 1] ?? 0) - (postingOffsets[term] ?? 0);
  });
  const order = Uint32Array.from(similar, (_, i) => i);
  const compare = (a: number, b: number) =>
    (similar[a]?.cost ?? 0) - (similar[b]?.cost ?? 0) ||
    (documents[b] ?? 0) - (documents[a] ?? 0) ||
    // The words of a segment are sorted.
    (similar[a]?.word ?? 0) - (similar[b]?.word ?? 0);
  selectBest(order, 0, order.length, most, compare);
  return Array.from(order.subarray(0, most), (i) => ({
    word: similar[i]?.word ?? 0,
    cost: similar[i]?.cost ?? 0,
    documents: documents[i] ?? 0,
  }));
}

/** The typed text: whole words, and the beginning of the next one. */
interface TypedText {
  readonly whole: readonly string[];
  /** Empty if the next word has not been started. */
  readonly begun: string;
}

/** More words than this are not completed. */
const maxSpelledWords = 8;
const openEnd = /[\p{L}\p{M}\p{N}]$/u;

/** Undefined if it has no words, or too many. */
export function readTyped(text: string): TypedText | undefined {
  const words = tokenize(text, "query");
  if (words.length === 0 || words.length > maxSpelledWords) return undefined;
  return openEnd.test(text)
    ? { whole: words.slice(0, -1), begun: words.at(-1) ?? "" }
    : { whole: words, begun: "" };
}

/** From this length on one typing error is allowed, and from the second length on two. */
const minLength = 4;
const twoEditsFromLength = 8;
// The first letter is rarely wrong, so such a word counts as half an edit further away.
const firstLetterPenalty = 0.5;
const foldedLetters = /^[\p{L}\p{M}]+$/u;

/** A word that begins with the typed text, except for typing errors. */
interface SimilarBeginning {
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
    for (let word = 0, next = 0, compared = 0; word < shared.length; word = next) {
      if (compared++ % checkedAtOnce === 0) checkTime();
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
