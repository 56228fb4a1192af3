import type { FacetKind } from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import type { Segment } from "../segment/segment.ts";
import type { Numbers } from "../segment/segment-layout.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { stringCount } from "../segment/string-table.ts";
import { valueClassCount, valueClasses } from "./facet-rows.ts";

const totalsOf = new WeakMap<Segment, Map<string, Uint32Array>>();

/** A facet's counts over all live documents of one source, or of all. A segment is counted once, not after every change. */
export function liveTotals(reader: SegmentReader, kind: FacetKind, source: number | undefined): Uint32Array {
  const { segment, deletedDocuments } = reader;
  const column = facetColumn(segment, kind);
  const { sources } = segment.sections;
  const counts = segmentTotals(segment, kind, source).slice();
  for (const doc of deletedDocuments) {
    const number = column[doc] ?? 0;
    if (source === undefined || sources[doc] === source) counts[number] = (counts[number] ?? 0) - 1;
  }
  return counts;
}

/** Including deleted documents. */
export function segmentTotals(segment: Segment, kind: FacetKind, source: number | undefined): Uint32Array {
  const known = totalsOf.get(segment) ?? new Map<string, Uint32Array>();
  totalsOf.set(segment, known);
  const key = `${kind} ${source}`;
  const counts = known.get(key) ?? count(segment, kind, source);
  known.set(key, counts);
  return counts;
}

function count(segment: Segment, kind: FacetKind, source: number | undefined): Uint32Array {
  const counts = noCounts(segment, kind);
  const column = facetColumn(segment, kind);
  const { sources } = segment.sections;
  for (let doc = 0; doc < column.length; doc++) {
    if (source !== undefined && sources[doc] !== source) continue;
    const number = column[doc] ?? 0;
    counts[number] = (counts[number] ?? 0) + 1;
  }
  return counts;
}

/** The column whose numbers are counted for a facet. */
export function facetColumn(segment: Segment, kind: FacetKind): Numbers {
  return isRange(kind) ? valueClasses(segment) : segment.sections[kind];
}

/** Zeros, one for each number that the column can have. */
export function noCounts(segment: Segment, kind: FacetKind): Uint32Array {
  return new Uint32Array(isRange(kind) ? valueClassCount : stringCount(segment[kind]));
}

function isRange(kind: FacetKind): kind is "price" | "rating" {
  return kind === "price" || kind === "rating";
}

/** Prices and ratings are classes in one column. */
export function columnKind(kind: FacetKind): NameKind | "values" {
  return isRange(kind) ? "values" : kind;
}
