import type { Sections } from "./segment-layout.ts";
import type { Steps } from "./steps.ts";

// The list of a term is stored in blocks of 128 postings: the first document, then the gaps between the documents in as
// many bits as the largest gap of the block needs, from a new word of 32 bits on. At a million products a document
// takes 6 bits of 32 in the mean. The greatest impact of a block is stored as well: a search for the best documents
// skips most blocks of a long list.
export const blockBits = 7;
const blockLength = 1 << blockBits;
export const placeInBlock = blockLength - 1;
const termsBetweenPauses = 10_000;
const postingsBetweenPauses = 500_000;

/** The postings of all terms before they are packed: those of term `t` are in `[offsets[t], offsets[t + 1])`. */
export interface PlainPostings {
  readonly offsets: Uint32Array;
  readonly docs: Uint32Array;
  readonly impacts: Uint8Array;
}

/** How many bits a gap of each block takes, and the sum. */
export interface PackedSize {
  readonly widths: Uint8Array;
  /** The 32-bit words of all gaps. */
  readonly words: number;
}

/** Space for the postings of terms, of which each is in so many documents. */
export function plainPostings(documentsOfTerm: Uint32Array): PlainPostings {
  const offsets = new Uint32Array(documentsOfTerm.length + 1);
  let sum = 0;
  documentsOfTerm.forEach((documents, term) => {
    sum += documents;
    offsets[term + 1] = sum;
  });
  return { offsets, docs: new Uint32Array(sum), impacts: new Uint8Array(sum) };
}

/** The end of the block that contains a place of a list. */
export function blockEnd(at: number): number {
  return ((at >>> blockBits) + 1) << blockBits;
}

function blocksOf(postings: number): number {
  return (postings + blockLength - 1) >>> blockBits;
}

function wordsOf(postings: number, width: number): number {
  return ((postings - 1) * width + 31) >>> 5;
}

export function* measurePostings({ offsets, docs }: PlainPostings): Steps<PackedSize> {
  let blocks = 0;
  for (let term = 0; term + 1 < offsets.length; term++)
    blocks += blocksOf((offsets[term + 1] ?? 0) - (offsets[term] ?? 0));
  const widths = new Uint8Array(blocks);
  let block = 0;
  let words = 0;
  let pause = postingsBetweenPauses;
  for (let term = 0; term + 1 < offsets.length; term++) {
    const end = offsets[term + 1] ?? 0;
    for (let first = offsets[term] ?? 0; first < end; first += blockLength) {
      const stop = Math.min(end, first + blockLength);
      let most = 0;
      for (let at = first + 1; at < stop; at++) most |= (docs[at] ?? 0) - (docs[at - 1] ?? 0) - 1;
      const width = 32 - Math.clz32(most);
      widths[block++] = width;
      words += wordsOf(stop - first, width);
    }
    if (term % termsBetweenPauses === 0 || end > pause) {
      pause = end + postingsBetweenPauses;
      yield;
    }
  }
  return { widths, words };
}

/** Writes the postings, of a size that was measured. */
export function* packPostings(
  sections: Sections,
  { offsets, docs, impacts }: PlainPostings,
  { widths }: PackedSize,
): Steps<void> {
  const { postingBlocks, blockDocs, blockStarts, blockWidths, blockImpacts, gapWords } = sections;
  sections.postingOffsets.set(offsets);
  sections.postingImpacts.set(impacts);
  blockWidths.set(widths);
  let block = 0;
  let word = 0;
  let pause = postingsBetweenPauses;
  for (let term = 0; term + 1 < offsets.length; term++) {
    const end = offsets[term + 1] ?? 0;
    for (let first = offsets[term] ?? 0; first < end; first += blockLength) {
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
    postingBlocks[term + 1] = block;
    if (term % termsBetweenPauses === 0 || end > pause) {
      pause = end + postingsBetweenPauses;
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
  const { postingOffsets, postingBlocks } = sections;
  const count = (postingOffsets[term + 1] ?? 0) - (postingOffsets[term] ?? 0);
  const docs = new Uint32Array(count);
  for (let at = 0, block = postingBlocks[term] ?? 0; at < count; at += blockLength, block++)
    readBlock(sections, block, Math.min(blockLength, count - at), docs, at);
  return docs;
}

/** The same one after the other, for readers that may stop early. */
export function* eachDoc(sections: Sections, term: number): Generator<number> {
  const { postingOffsets, postingBlocks } = sections;
  const docs = new Uint32Array(blockLength);
  let left = (postingOffsets[term + 1] ?? 0) - (postingOffsets[term] ?? 0);
  for (let block = postingBlocks[term] ?? 0; left > 0; left -= blockLength, block++) {
    const count = Math.min(blockLength, left);
    readBlock(sections, block, count, docs, 0);
    yield* docs.subarray(0, count);
  }
}
