import { fillKeys } from "../exact-keys.ts";
import type { Sections } from "../segment-layout.ts";
import { type NameKind, nameKinds } from "../segment-tables.ts";
import type { CollectedDocuments } from "./collected-documents.ts";

// `order` has the numbers of the collected documents in the order of the segment, `placeOf` the place of each number in a
// sorted table.

export function fillColumns(
  documents: CollectedDocuments,
  sections: Sections,
  order: readonly number[],
  placeOf: (kind: NameKind, name: number) => number,
): void {
  order.forEach((source, doc) => {
    const columns = documents.columns[source];
    if (columns === undefined) return;
    sections.ids[doc] = columns.id;
    sections.prices[doc] = columns.priceMinor;
    sections.ratings[doc] = columns.rating;
    sections.discounts[doc] = columns.discount;
    sections.qualities[doc] = columns.quality;
    for (const kind of nameKinds) sections[kind][doc] = placeOf(kind, columns.names[kind]);
    sections.sources[doc] = columns.source;
    sections.availabilities[doc] = columns.availability;
  });
}

export function fillNames(
  documents: CollectedDocuments,
  sections: Sections,
  order: readonly number[],
  placeOf: Uint32Array,
): void {
  let at = 0;
  order.forEach((source, doc) => {
    const end = source + 1 < order.length ? documents.nameStarts.at(source + 1) : documents.nameWords.length;
    for (let i = documents.nameStarts.at(source); i < end; i++) {
      sections.nameWords[at++] = placeOf[documents.nameWords.at(i)] ?? 0;
    }
    sections.nameOffsets[doc + 1] = at;
    sections.nameHeads[doc] = documents.nameHeads.at(source);
  });
}

export function fillExactKeys(
  documents: CollectedDocuments,
  sections: Sections,
  order: readonly number[],
): void {
  const docOf = new Uint32Array(order.length);
  order.forEach((source, doc) => {
    docOf[source] = doc;
  });
  const docs = Uint32Array.from(documents.keySources, (source) => docOf[source] ?? 0);
  fillKeys(sections, Float64Array.from(documents.keys), docs);
}

/** A counting sort: documents are visited in their final order, so each term's postings are sorted. */
export function fillPostings(
  documents: CollectedDocuments,
  sections: Sections,
  order: readonly number[],
  placeOf: Uint32Array,
): void {
  const { postingOffsets, postingDocs, postingImpacts } = sections;
  const next = postingOffsets.slice();
  order.forEach((source, doc) => {
    const end =
      source + 1 < order.length ? documents.postingStarts.at(source + 1) : documents.postingTerms.length;
    for (let i = documents.postingStarts.at(source); i < end; i++) {
      const term = placeOf[documents.postingTerms.at(i)] ?? 0;
      const at = next[term] ?? 0;
      next[term] = at + 1;
      postingDocs[at] = doc;
      postingImpacts[at] = documents.postingImpacts.at(i);
    }
  });
}
