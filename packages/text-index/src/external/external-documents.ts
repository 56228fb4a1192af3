import { documentValueClass } from "../facets/value-classes.ts";
import { english, type Language } from "../language/language.ts";
import { createSegmentBuilder } from "../segment/build/segment-builder.ts";
import { keyText } from "../segment/exact-keys.ts";
import type { IndexDocument } from "../segment/index-document.ts";
import { openSegment } from "../segment/segment.ts";
import { stringAt } from "../segment/string-table.ts";

/** The data of a document that another engine stores besides its fields. */
export interface ExternalDocument {
  readonly id: number;
  /** Every term with its impact, 1 to 255: how much it says about the document. */
  readonly terms: ReadonlyArray<readonly [term: string, impact: number]>;
  /** The keys that a `keyed` step asks for. */
  readonly keys: readonly string[];
  /** The number that `facetRanges` counts. */
  readonly valueClass: number;
}

/** Reads documents like the index, with the same rules for words, stems, groups and impacts. */
export function externalDocuments(
  documents: readonly IndexDocument[],
  languages: readonly Language[] = [english],
): ExternalDocument[] {
  const builder = createSegmentBuilder({ phrases: false, languages });
  for (const document of documents) builder.add(document);
  const segment = openSegment(builder.build());
  const { ids, postingOffsets, postingDocs, postingImpacts } = segment.sections;
  const termsOf = Array.from(ids, (): [string, number][] => []);
  for (let term = 0; term + 1 < postingOffsets.length; term++) {
    const text = stringAt(segment.terms, term);
    for (let at = postingOffsets[term] ?? 0; at < (postingOffsets[term + 1] ?? 0); at++)
      termsOf[postingDocs[at] ?? 0]?.push([text, postingImpacts[at] ?? 0]);
  }
  const placeOf = new Map(Array.from(ids, (id, doc) => [id, doc]));
  return documents.map(({ id, keys = [], priceMinor, rating }) => ({
    id,
    terms: termsOf[placeOf.get(id) ?? 0] ?? [],
    keys: [...new Set(keys.map(keyText).filter((key) => key !== undefined))],
    valueClass: documentValueClass(priceMinor, Math.fround(rating)),
  }));
}
