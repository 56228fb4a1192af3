import type { FacetKind } from "../search/search-query.ts";
import type { Segment } from "../segment/segment.ts";
import type { Numbers } from "../segment/segment-layout.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { stringCount } from "../segment/string-table.ts";
import { valueClassCount, valueClasses } from "./value-classes.ts";

/** The column whose numbers are counted for a facet. */
export function facetColumn(segment: Segment, kind: FacetKind): Numbers {
  return isRange(kind) ? valueClasses(segment) : segment.sections[kind];
}

/** Zeros, one for each number that the column can have. */
export function noCounts(segment: Segment, kind: FacetKind): Uint32Array {
  return new Uint32Array(isRange(kind) ? valueClassCount : stringCount(segment[kind]));
}

export function isRange(kind: FacetKind): kind is "price" | "rating" {
  return kind === "price" || kind === "rating";
}

/** Prices and ratings are classes in one column. */
export function columnKind(kind: FacetKind): NameKind | "values" {
  return isRange(kind) ? "values" : kind;
}
