import { deletedDocument, type MergeInput } from "../segment/document-order.ts";
import type { Sections } from "../segment/segment-layout.ts";
import type { Steps } from "../segment/steps.ts";
import type { TableMerge } from "./merge-tables.ts";

const postingsBetweenPauses = 200_000;

/** Merges the lists of the inputs term by term in two-way steps. For most terms one input has nearly all postings. */
export function* mergePostings(
  inputs: readonly MergeInput[],
  placeOf: readonly Uint32Array[],
  terms: TableMerge,
  liveTerms: readonly Uint32Array[],
  target: Sections,
): Steps<void> {
  const { postingOffsets, postingDocs, postingImpacts } = target;
  // Merging backwards, from the end of each term's space, needs no second buffer: existing postings move up first.
  const filled = new Uint32Array(postingOffsets.length);
  let steps = 0;
  for (const [i, { segment }] of inputs.entries()) {
    const source = segment.sections;
    const places = placeOf[i] ?? new Uint32Array();
    for (let term = 0; term + 1 < source.postingOffsets.length; term++) {
      const place = terms.placeOf[i]?.[term] ?? deletedDocument;
      if (place === deletedDocument) continue;
      const room = postingOffsets[place] ?? 0;
      const before = filled[place] ?? 0;
      let write = room + before + (liveTerms[i]?.[term] ?? 0) - 1;
      filled[place] = write + 1 - room;
      let old = room + before - 1;
      const start = source.postingOffsets[term] ?? 0;
      for (let at = (source.postingOffsets[term + 1] ?? 0) - 1; at >= start; at--) {
        const doc = places[source.postingDocs[at] ?? 0] ?? deletedDocument;
        if (doc === deletedDocument) continue;
        while (old >= room && (postingDocs[old] ?? 0) > doc) {
          postingDocs[write] = postingDocs[old] ?? 0;
          postingImpacts[write--] = postingImpacts[old--] ?? 0;
        }
        postingDocs[write] = doc;
        postingImpacts[write--] = source.postingImpacts[at] ?? 0;
        steps++;
      }
      if (++steps > postingsBetweenPauses) {
        steps = 0;
        yield;
      }
    }
  }
}
