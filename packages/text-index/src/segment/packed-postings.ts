import type { Sections } from "./segment-layout.ts";
import type { Steps } from "./steps.ts";

// The list of a term is stored in blocks of 128 postings: the first document, then the gaps between the documents in as
// many bits as the largest gap of the block needs, from a new word of 32 bits on. At a million products a document
// takes 6 bits of 32 in the mean. The greatest impact of a block is stored as well: a search for the best documents
// skips most blocks of a long list. Most terms, such as codes and numbers, are in one to three documents: these have no block.
// One document stands where others have the number of their first block; of more, the place of the first in `gapWords`.
export const blockBits = 7;
const blockLength = 1 << blockBits;
/** More documents take fewer bytes in a block. */
const mostPlain = 3;
export const placeInBlock = blockLength - 1;
const stepsBetweenPauses = 400_000;
/** What a list takes besides its postings. */
const stepsOfList = 40;

/** The postings of a term before they are packed: those in `[start, end)`. Reading the next list may overwrite them. */
export interface PlainList {
  docs: Uint32Array;
  impacts: Uint8Array;
  start: number;
  end: number;
}

/** How many bits a gap of each block takes, and the sum. */
export interface PackedSize {
  readonly widths: Uint8Array;
  /** The 32-bit words of all gaps. */
  readonly words: number;
}

/** Where the postings of each term begin, of which each is in so many documents, and the end of the last. */
export function offsetsOf(documentsOfTerm: Uint32Array): Uint32Array {
  const offsets = new Uint32Array(documentsOfTerm.length + 1);
  let sum = 0;
  documentsOfTerm.forEach((documents, term) => {
    sum += documents;
    offsets[term + 1] = sum;
  });
  return offsets;
}

/** The end of the block that contains a place of a list. */
export function blockEnd(at: number): number {
  return ((at >>> blockBits) + 1) << blockBits;
}

/** The number of blocks of a list. */
export function blocksOf(postings: number): number {
  return isPlain(postings) ? 0 : (postings + blockLength - 1) >>> blockBits;
}

/** Whether so many documents are stored without a block. */
export function isPlain(postings: number): boolean {
  return postings > 0 && postings <= mostPlain;
}

/** The words of `gapWords` that its documents take. */
function plainWords(postings: number): number {
  return isPlain(postings) && postings > 1 ? postings : 0;
}

function wordsOf(postings: number, width: number): number {
  return ((postings - 1) * width + 31) >>> 5;
}

/** The lists of all terms in their order, once. */
export function* measurePostings(
  documentsOfTerm: Uint32Array,
  lists: Iterable<PlainList>,
): Steps<PackedSize> {
  const widths = new Uint8Array(documentsOfTerm.reduce((sum, documents) => sum + blocksOf(documents), 0));
  let block = 0;
  let words = 0;
  let sincePause = 0;
  for (const { docs, start, end } of lists) {
    words += plainWords(end - start);
    for (let first = start; first < end && !isPlain(end - start); first += blockLength) {
      const stop = Math.min(end, first + blockLength);
      let most = 0;
      for (let at = first + 1; at < stop; at++) most |= (docs[at] ?? 0) - (docs[at - 1] ?? 0) - 1;
      const width = 32 - Math.clz32(most);
      widths[block++] = width;
      words += wordsOf(stop - first, width);
    }
    sincePause += end - start + stepsOfList;
    if (sincePause > stepsBetweenPauses) {
      sincePause = 0;
      yield;
    }
  }
  return { widths, words };
}

/** Writes the same lists. */
export function* packPostings(
  sections: Sections,
  lists: Iterable<PlainList>,
  { widths }: PackedSize,
): Steps<void> {
  const { postingOffsets, postingBlocks, postingImpacts } = sections;
  const { blockDocs, blockStarts, blockWidths, blockImpacts, gapWords } = sections;
  blockWidths.set(widths);
  let term = 0;
  let block = 0;
  let word = 0;
  let sincePause = 0;
  for (const { docs, impacts, start, end } of lists) {
    let to = postingOffsets[term] ?? 0;
    for (let at = start; at < end; at++) postingImpacts[to++] = impacts[at] ?? 0;
    postingOffsets[term + 1] = to;
    if (end - start === 1) postingBlocks[term++] = docs[start] ?? 0;
    else postingBlocks[term++] = isPlain(end - start) ? word : block;
    for (let at = 0; at < plainWords(end - start); at++) gapWords[word++] = docs[start + at] ?? 0;
    for (let first = start; first < end && !isPlain(end - start); first += blockLength) {
      const stop = Math.min(end, first + blockLength);
      const width = blockWidths[block] ?? 0;
      blockDocs[block] = docs[first] ?? 0;
      blockStarts[block] = word;
      let greatest = impacts[first] ?? 0;
      for (let at = first + 1, bit = 0; at < stop; at++, bit += width) {
        greatest = Math.max(greatest, impacts[at] ?? 0);
        const gap = (docs[at] ?? 0) - (docs[at - 1] ?? 0) - 1;
        const place = word + (bit >>> 5);
        const shift = bit & 31;
        gapWords[place] = (gapWords[place] ?? 0) | (gap << shift);
        if (shift + width > 32) gapWords[place + 1] = gap >>> (32 - shift);
      }
      blockImpacts[block++] = greatest;
      word += wordsOf(stop - first, width);
    }
    sincePause += end - start + stepsOfList;
    if (sincePause > stepsBetweenPauses) {
      sincePause = 0;
      yield;
    }
  }
}

/**
 * Writes the `count` documents of a block to `docs`, from `at` on. With numbers that the compiler knows to be integers of 32
 * bits it takes half the time, and a fifth less when each word of the gaps is read once.
 */
export function readBlock(
  { blockDocs, blockStarts, blockWidths, gapWords }: Sections,
  block: number,
  count: number,
  docs: Uint32Array,
  at: number,
): void {
  const width = (blockWidths[block] ?? 0) | 0;
  const mask = (2 ** width - 1) | 0;
  const end = (at + count) | 0;
  let word = (blockStarts[block] ?? 0) | 0;
  let doc = (blockDocs[block] ?? 0) | 0;
  docs[at] = doc;
  // The bits of the present word that are not read yet.
  let bits = (gapWords[word] ?? 0) | 0;
  let left = 32;
  for (let i = (at + 1) | 0; i < end; i = (i + 1) | 0) {
    let gap = bits;
    if (left >= width) {
      bits >>>= width;
      left = (left - width) | 0;
    } else {
      word = (word + 1) | 0;
      const next = (gapWords[word] ?? 0) | 0;
      gap = left === 0 ? next : gap | (next << left);
      bits = next >>> (width - left);
      left = (left + 32 - width) | 0;
    }
    doc = (doc + (gap & mask) + 1) | 0;
    docs[i] = doc;
  }
}

/** The documents of a term, ascending. */
export function readDocs(sections: Sections, term: number): Uint32Array {
  const docs = new Uint32Array(span(sections.postingOffsets, term));
  readDocsInto(sections, term, docs);
  return docs;
}

/** Writes the same to the beginning of `docs`. */
export function readDocsInto(sections: Sections, term: number, docs: Uint32Array): void {
  const count = span(sections.postingOffsets, term);
  const first = sections.postingBlocks[term] ?? 0;
  if (count === 1) docs[0] = first;
  else if (isPlain(count)) docs.set(sections.gapWords.subarray(first, first + count));
  else
    for (let at = 0, block = first; at < count; at += blockLength, block++)
      readBlock(sections, block, Math.min(blockLength, count - at), docs, at);
}

function span(offsets: Uint32Array, index: number): number {
  return (offsets[index + 1] ?? 0) - (offsets[index] ?? 0);
}

/** The same one after the other, for readers that may stop early. */
export function* eachDoc(sections: Sections, term: number): Generator<number> {
  let left = span(sections.postingOffsets, term);
  if (isPlain(left)) return yield* readDocs(sections, term);
  const first = sections.postingBlocks[term] ?? 0;
  const docs = new Uint32Array(blockLength);
  for (let block = first; left > 0; left -= blockLength, block++) {
    const count = Math.min(blockLength, left);
    readBlock(sections, block, count, docs, 0);
    yield* docs.subarray(0, count);
  }
}

// A term that at least one document in sixteen has is stored a second time, with one byte per document. Then its
// impact on a document is read directly and not searched for. In total this takes at most a third more memory.
const denseShare = 16;
// Attributes such as colours and sizes are many terms of this share. Of those after the first, a document has few, and looking
// for them in their lists is as fast.
const fewDense = 16;
const largeShare = 5;
const minDocuments = 32;

/** The terms that are stored like this, by the number of documents with each. */
export function denseTerms(documentsOfTerm: Uint32Array, documents: number): Uint32Array {
  if (documents < minDocuments) return new Uint32Array();
  const dense: number[] = [];
  documentsOfTerm.forEach((count, term) => {
    if (count * denseShare >= documents) dense.push(term);
  });
  const count = (term: number) => documentsOfTerm[term] ?? 0;
  const byCount = dense.toSorted((a, b) => count(b) - count(a) || a - b);
  const chosen = byCount.filter((term, i) => i < fewDense || count(term) * largeShare >= documents);
  return Uint32Array.from(chosen).sort();
}

/** Fills in the bytes from the packed postings. */
export function* fillDense(sections: Sections): Steps<void> {
  const { ids, denseTerms, denseImpacts, postingOffsets, postingImpacts } = sections;
  for (const [i, term] of denseTerms.entries()) {
    const base = i * ids.length;
    const start = postingOffsets[term] ?? 0;
    const docs = readDocs(sections, term);
    for (let i = 0; i < docs.length; i++)
      denseImpacts[base + (docs[i] ?? 0)] = postingImpacts[start + i] ?? 0;
    yield;
  }
}
