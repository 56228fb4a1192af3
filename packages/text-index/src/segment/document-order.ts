import { type Deletions, isDeleted, type Segment } from "./segment.ts";
import type { Steps } from "./steps.ts";
import { compareStringsAt } from "./string-table.ts";

export interface MergeInput {
  readonly segment: Segment;
  readonly deletions: Deletions | undefined;
}

/** The position of a deleted document. */
export const deletedDocument = 0xffffffff;
const documentsBetweenPauses = 20_000;

/** The order of the live documents of several segments after a merge. */
export interface DocumentOrder {
  /** For each document of the result, its input segment. The order within an input does not change. */
  readonly from: Uint8Array;
  readonly placeOf: readonly Uint32Array[];
}

export function* mergeDocuments(inputs: readonly MergeInput[]): Steps<DocumentOrder> {
  const placeOf = inputs.map(({ segment }) => new Uint32Array(segment.documents).fill(deletedDocument));
  const from = new Uint8Array(inputs.reduce((sum, { segment }) => sum + segment.documents, 0));
  const next = inputs.map((input) => nextLive(input, 0));
  let count = 0;
  for (;;) {
    let best = -1;
    inputs.forEach((input, i) => {
      const doc = next[i] ?? 0;
      if (doc >= input.segment.documents) return;
      const leader = inputs[best];
      if (leader === undefined || precedes(input.segment, doc, leader.segment, next[best] ?? 0)) best = i;
    });
    const input = inputs[best];
    if (input === undefined) return { from: from.slice(0, count), placeOf };
    const doc = next[best] ?? 0;
    const places = placeOf[best];
    if (places !== undefined) places[doc] = count;
    from[count++] = best;
    next[best] = nextLive(input, doc + 1);
    if (count % documentsBetweenPauses === 0) yield;
  }
}

function nextLive({ segment, deletions }: MergeInput, from: number): number {
  let doc = from;
  if (deletions !== undefined) while (doc < segment.documents && isDeleted(deletions, doc)) doc++;
  return doc;
}

/** The order of documents: quality, best first, then tie key. The same across segments. */
export function precedes(a: Segment, docA: number, b: Segment, docB: number): boolean {
  const difference = (b.sections.qualities[docB] ?? 0) - (a.sections.qualities[docA] ?? 0);
  if (difference !== 0) return difference < 0;
  const ties = compareStringsAt(a.tieKeys, docA, b.tieKeys, docB);
  return ties !== 0 ? ties < 0 : (a.sections.ids[docA] ?? 0) < (b.sections.ids[docB] ?? 0);
}
