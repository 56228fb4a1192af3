import type { Sections } from "./segment-layout.ts";
import type { Steps } from "./steps.ts";

// Of every 128 postings the greatest impact is kept as well: a hundredth more room, and whoever looks for the best
// passes over most of a long list. Blocks are counted over all postings; one may hold the end of a list and the
// beginning of the next, whose impacts only make its bound looser.
export const blockBits = 7;
const blockLength = 1 << blockBits;
const blocksBetweenPauses = 8192;

export function blocksOf(postings: number): number {
  return Math.ceil(postings / blockLength);
}

/** Fills in the greatest impacts, from the postings. */
export function* fillBlocks({ postingImpacts, blockImpacts }: Sections): Steps<void> {
  for (let block = 0; block < blockImpacts.length; block++) {
    const end = Math.min(postingImpacts.length, (block + 1) << blockBits);
    let most = 0;
    for (let at = block << blockBits; at < end; at++) most = Math.max(most, postingImpacts[at] ?? 0);
    blockImpacts[block] = most;
    if (block % blocksBetweenPauses === 0) yield;
  }
}

/** Where the block of a posting ends. */
export function blockEnd(at: number): number {
  return ((at >>> blockBits) + 1) << blockBits;
}
