import type { BoundedCache } from "../bounded-cache.ts";
import { fold } from "../text/tokenize.ts";
import { MergeQueue } from "./merge-queue.ts";
import { KeyReader, KeyWriter } from "./packed-keys.ts";
import {
  blockBits,
  blockEnd,
  blocksOf,
  isPlain,
  placeInBlock,
  readBlock,
  readDocs,
} from "./packed-postings.ts";
import { type Deletions, deletedDocument, isDeleted, type MergeInput } from "./segment.ts";
import type { Sections } from "./segment-layout.ts";
import type { Steps } from "./steps.ts";

/** The documents of a list, ascending, and the impact on each, in `[start, end)`. */
export interface Postings {
  readonly docs: Uint32Array;
  readonly impacts: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** For frequent terms also the impact on every document, 0 if the term is absent. */
  readonly dense: Uint8Array | undefined;
  /** Of a list that was united: which lists it has. The same ones give the same documents. */
  readonly united?: string | undefined;
  /** At least the greatest impact. Default: the greatest that there can be. */
  readonly mostImpact?: number;
}

export const noPostings: Postings = {
  docs: new Uint32Array(),
  impacts: new Uint8Array(),
  start: 0,
  end: 0,
  dense: undefined,
};

/** The documents of terms whose lists this thread unpacked, by term. */
export type UnpackedLists = BoundedCache<number, Uint32Array>;

const oneBlock = new Uint32Array(placeInBlock + 1);

/**
 * The list of a term. Its documents are unpacked when all are read, and kept for a while: loops read `docs` once. A search
 * of the best documents reads few blocks.
 */
export class TermPostings implements Postings {
  readonly term: number;
  readonly start = 0;
  readonly end: number;
  readonly dense: Uint8Array | undefined;
  readonly #sections: Sections;
  readonly #lists: UnpackedLists;
  #impacts: Uint8Array | undefined;
  #greatest: Uint8Array | undefined;
  #mostImpact: number | undefined;

  constructor(sections: Sections, term: number, dense: Uint8Array | undefined, lists: UnpackedLists) {
    this.term = term;
    this.end = documentsWith(sections, term);
    this.dense = dense;
    this.#sections = sections;
    this.#lists = lists;
  }

  get docs(): Uint32Array {
    return this.#lists.get(this.term, () => readDocs(this.#sections, this.term));
  }

  get impacts(): Uint8Array {
    const start = this.#sections.postingOffsets[this.term] ?? 0;
    this.#impacts ??= this.#sections.postingImpacts.subarray(start, start + this.end);
    return this.#impacts;
  }

  /** The greatest impact of each block. */
  get greatestImpacts(): Uint8Array {
    const { postingBlocks, blockImpacts } = this.#sections;
    const first = postingBlocks[this.term] ?? 0;
    this.#greatest ??= isPlain(this.end)
      ? Uint8Array.of(Math.max(...this.impacts))
      : blockImpacts.subarray(first, first + blocksOf(this.end));
    return this.#greatest;
  }

  get mostImpact(): number {
    this.#mostImpact ??= this.greatestImpacts.reduce((most, impact) => Math.max(most, impact), 0);
    return this.#mostImpact;
  }

  /** The documents of the block that contains a place of the list. The next call overwrites them. */
  blockAround(at: number): Uint32Array {
    if (isPlain(this.end)) return this.docs;
    const first = at & ~placeInBlock;
    const block = (this.#sections.postingBlocks[this.term] ?? 0) + (at >>> blockBits);
    readBlock(this.#sections, block, Math.min(this.end, blockEnd(at)) - first, oneBlock, 0);
    return oneBlock;
  }
}

/** The number of documents of a segment that have a term. */
export function documentsWith({ postingOffsets }: Sections, term: number): number {
  return (postingOffsets[term + 1] ?? 0) - (postingOffsets[term] ?? 0);
}

export function postingCount({ start, end }: Postings): number {
  return end - start;
}

/** Looks up documents in a list, in ascending order. */
export class PostingsCursor {
  readonly #dense: Uint8Array | undefined;
  readonly #docs: Uint32Array;
  readonly #impacts: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(postings: Postings) {
    const { docs, impacts, start, end } = postings.dense === undefined ? postings : noPostings;
    this.#dense = postings.dense;
    this.#docs = docs;
    this.#impacts = impacts;
    this.#at = start;
    this.#end = end;
  }

  /** The impact on a document, 0 if the list does not have it. */
  impactOn(doc: number): number {
    if (this.#dense !== undefined) return this.#dense[doc] ?? 0;
    this.#at = gallop(this.#docs, this.#at, this.#end, doc);
    return this.#at < this.#end && this.#docs[this.#at] === doc ? (this.#impacts[this.#at] ?? 0) : 0;
  }
}

/** How many of the ascending documents are in the list. */
export function countPostings(postings: Postings, docs: Uint32Array): number {
  const cursor = new PostingsCursor(postings);
  let count = 0;
  for (const doc of docs) if (cursor.impactOn(doc) > 0) count++;
  return count;
}

/** The number of deleted documents in the list. */
export function countDeleted({ docs, start, end }: Postings, deletions: Deletions): number {
  let count = 0;
  for (let at = start; at < end; at++) {
    const doc = docs[at] ?? 0;
    count += ((deletions[doc >>> 3] ?? 0) >>> (doc & 7)) & 1;
  }
  return count;
}

/** One bit per document, set if the list has it. */
export function bitsOfPostings({ docs, start, end }: Postings, documents: number): Uint8Array {
  const bits = new Uint8Array((documents + 7) >>> 3);
  for (let at = start; at < end; at++) {
    const doc = docs[at] ?? 0;
    bits[doc >>> 3] = (bits[doc >>> 3] ?? 0) | (1 << (doc & 7));
  }
  return bits;
}

/** Writes the marked documents, of which there are `count`, in their order, and clears the marks. */
export function takeMarked(marks: Uint32Array, docs: Uint32Array, count: number): void {
  let at = 0;
  for (let word = 0; at < count; word++) {
    let bits = marks[word] ?? 0;
    if (bits === 0) continue;
    marks[word] = 0;
    for (; bits !== 0; bits &= bits - 1) docs[at++] = (word << 5) + 31 - Math.clz32(bits & -bits);
  }
}

/** Whether a document of the list has its bit set. */
export function hasBit({ docs, start, end }: Postings, bits: Uint8Array): boolean {
  for (let at = start; at < end; at++) {
    const doc = docs[at] ?? 0;
    if ((((bits[doc >>> 3] ?? 0) >>> (doc & 7)) & 1) === 1) return true;
  }
  return false;
}

/** The first index from `from` on whose value is not below `doc`, found by galloping search. */
export function gallop(listed: Uint32Array, from: number, end: number, doc: number): number {
  let low = from;
  let leap = 1;
  while (low + leap < end && (listed[low + leap] ?? 0) < doc) {
    low += leap;
    leap <<= 1;
  }
  let high = Math.min(low + leap, end);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((listed[middle] ?? 0) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Only 53 bits of a key are stored, which fit into a number: with ten million keys, two collide in one of 900 catalogs.
const lowBits = 21;
const keysBetweenPauses = 50_000;
const separators = /[^\p{L}\p{N}]+/gu;
// The forms of a GTIN, which has 8, 12, 13 or 14 digits, differ only in leading zeros.
const zerosOfNumber = /^0+(?=\d*$)/;
const longNumber = /^\d{8,14}$/;
/** Its own normalised form, as most identifiers are. */
const plainKey = /^[a-z1-9][a-z0-9]*$/;
const label = /^\s*(?:gtin|ean|upc|isbn|barcode)(?:-?(?:8|12|13|14))?[\s:#.]+(?=[\d\s-]+$)/i;

/**
 * The normalised form of an identifier, code or slug, without separators, and without leading zeros if it is a number of
 * 8 to 14 digits; undefined for a text without a letter or digit.
 */
export function keyText(text: string): string | undefined {
  const key = fold(text).replace(separators, "");
  return (longNumber.test(key) ? key.replace(zerosOfNumber, "") : key) || undefined;
}

/** The key that a query may be. Shoppers also write which number it is: "EAN 4006381333931". */
export function queryKey(text: string): string | undefined {
  return keyText(text.replace(label, ""));
}

/** The same as a number. */
export function keyNumber(text: string): number | undefined {
  const key = plainKey.test(text) ? text : keyText(text);
  return key === undefined ? undefined : hashOf(key);
}

export function hashOf(key: string): number {
  let high = 0x811c9dc5;
  let low = 0x9e3779b1;
  for (let i = 0; i < key.length; i++) {
    high = Math.imul(high ^ key.charCodeAt(i), 0x01000193);
    low = Math.imul(low ^ key.charCodeAt(i), 0x85ebca6b);
    low ^= low >>> 15;
  }
  return (high >>> 0) * 2 ** lowBits + (low >>> (32 - lowBits));
}

/** Writes the keys, each with its document. */
export function fillKeys(sections: Sections, numbers: Float64Array, docs: Uint32Array): void {
  const keys = numbers.toSorted();
  const keyDocs = new Uint32Array(keys.length).fill(deletedDocument);
  numbers.forEach((number, i) => {
    let at = firstAt(keys, number);
    while (keyDocs[at] !== deletedDocument) at++;
    keyDocs[at] = docs[i] ?? 0;
  });
  const writer = new KeyWriter(sections, sections.ids.length);
  keyDocs.forEach((doc, i) => {
    writer.add(keys[i] ?? 0, doc);
  });
  writer.end();
}

function firstAt(keys: Float64Array, number: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of keys of live documents in the segments to merge. */
export function countKeys(inputs: readonly MergeInput[], placeOf: readonly Uint32Array[]): number {
  let count = 0;
  inputs.forEach(({ segment: { sections, documents } }, i) => {
    const reader = new KeyReader(sections, documents);
    for (let at = 0; at < reader.length; at++)
      if (placeOf[i]?.[reader.docAt(at)] !== deletedDocument) count++;
  });
  return count;
}

/** The next key of a segment, and the place of its document after a merge. */
class KeyCursor {
  readonly #reader: KeyReader;
  readonly #placeOf: Uint32Array;
  #at = -1;
  #bucket = 0;
  key = 0;
  place = 0;

  constructor({ segment }: MergeInput, placeOf: Uint32Array = new Uint32Array()) {
    this.#reader = new KeyReader(segment.sections, segment.documents);
    this.#placeOf = placeOf;
    this.advance();
  }

  /** After the last one, the key is infinite. */
  advance(): void {
    const at = ++this.#at;
    if (at >= this.#reader.length) {
      this.key = Number.POSITIVE_INFINITY;
      return;
    }
    while (this.#reader.start(this.#bucket + 1) <= at) this.#bucket++;
    this.key = this.#reader.keyAt(at, this.#bucket);
    this.place = this.#placeOf[this.#reader.docAt(at)] ?? deletedDocument;
  }
}

/** Each input is sorted. */
export function* mergeKeys(
  inputs: readonly MergeInput[],
  placeOf: readonly Uint32Array[],
  sections: Sections,
): Steps<void> {
  const cursors = inputs.map((input, i) => new KeyCursor(input, placeOf[i]));
  const keyOf = (input: number) => cursors[input]?.key ?? 0;
  const writer = new KeyWriter(sections, sections.ids.length);
  const filled = [...cursors.keys()].filter((input) => Number.isFinite(keyOf(input)));
  const queue = new MergeQueue(filled, (one, other) => keyOf(one) - keyOf(other));
  for (let first = queue.first; first !== undefined; first = queue.first) {
    const cursor = cursors[first];
    if (cursor === undefined) break;
    if (cursor.place !== deletedDocument) {
      writer.add(cursor.key, cursor.place);
      if (writer.length % keysBetweenPauses === 0) yield;
    }
    cursor.advance();
    queue.advance(Number.isFinite(cursor.key));
  }
  writer.end();
}

const noDocuments = new Uint32Array();

/** The live documents with a key, ascending. */
export function documentsWithKey(
  sections: Sections,
  deletions: Deletions | undefined,
  number: number,
): Uint32Array {
  const reader = new KeyReader(sections, sections.ids.length);
  const bucket = reader.bucketOf(number);
  const end = reader.start(bucket + 1);
  let low = reader.start(bucket);
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reader.keyAt(middle, bucket) < number) low = middle + 1;
    else high = middle;
  }
  const found: number[] = [];
  for (let at = low; at < end && reader.keyAt(at, bucket) === number; at++) {
    const doc = reader.docAt(at);
    if (deletions === undefined || !isDeleted(deletions, doc)) found.push(doc);
  }
  return found.length === 0 ? noDocuments : Uint32Array.from(new Set(found)).sort();
}
