import type { Sections } from "./segment-layout.ts";
import type { Steps } from "./steps.ts";

// Of every 128 postings the greatest impact is kept as well: a hundredth more room, and whoever looks for the best
// passes over most of a long list. Blocks are counted over all postings; one may hold the end of a list and the
// beginning of the next, whose impacts only make its bound looser.
export const BLOCK_BITS = 7;
const BLOCK = 1 << BLOCK_BITS;
const BLOCKS_BETWEEN_PAUSES = 8192;

export function blocksOf(postings: number): number {
  return Math.ceil(postings / BLOCK);
}

/** Fills in the greatest impacts, from the postings. */
export function* fillBlocks({ postingImpacts, blockImpacts }: Sections): Steps<void> {
  for (let block = 0; block < blockImpacts.length; block++) {
    const end = Math.min(postingImpacts.length, (block + 1) << BLOCK_BITS);
    let most = 0;
    for (let at = block << BLOCK_BITS; at < end; at++) most = Math.max(most, postingImpacts[at] ?? 0);
    blockImpacts[block] = most;
    if (block % BLOCKS_BETWEEN_PAUSES === 0) yield;
  }
}

/** Where the block of a posting ends. */
export function blockEnd(at: number): number {
  return ((at >>> BLOCK_BITS) + 1) << BLOCK_BITS;
}
