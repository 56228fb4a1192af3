import { readDocs } from "./packed-postings.ts";
import type { Sections } from "./segment-layout.ts";
import type { Steps } from "./steps.ts";

// A term that at least one document in sixteen has is stored a second time, with one byte per document. Then its
// impact on a document is read directly and not searched for. In total this takes at most a third more memory.
const denseShare = 16;
// Attributes such as colours and sizes are many terms of this share. Of those after the first, a document has few, and looking
// for them in their lists is as fast.
const fewDense = 16;
const largeShare = 6;
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
