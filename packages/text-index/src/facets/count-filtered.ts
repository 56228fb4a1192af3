import { candidates, createFilter } from "../search/filter.ts";
import type { FacetKind, SearchFilters } from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import { isDeleted } from "../segment/deletions.ts";
import { facetColumn, noCounts } from "./facet-column.ts";

/**
 * A facet's counts over the documents that pass one filter: names, prices or a rating. Those of the last filters are kept
 * as long as the snapshot: users choose one value after the other.
 */
export function countFiltered(reader: SegmentReader, kind: FacetKind, filters: SearchFilters): Uint32Array {
  const { filterCounts } = reader.hidden(filters.source);
  return filterCounts.get(JSON.stringify([kind, filters]), () => count(reader, kind, filters));
}

/** Reads the documents of the names, or all, in one pass. */
function count(reader: SegmentReader, kind: FacetKind, filters: SearchFilters): Uint32Array {
  const counts = noCounts(reader.segment, kind);
  const column = facetColumn(reader.segment, kind);
  const filter = createFilter(reader, filters, [], () => []);
  const few = candidates(filter);
  if (few === undefined) countRange(reader, filters, counts, column);
  else
    for (const doc of few) {
      if (filter.hidden.has(doc)) continue;
      const number = column[doc] ?? 0;
      counts[number] = (counts[number] ?? 0) + 1;
    }
  return counts;
}

/** An inner loop: plain indexing, no closures, no allocation. */
function countRange(
  reader: SegmentReader,
  { source, minPriceMinor, maxPriceMinor, minRating }: SearchFilters,
  counts: Uint32Array,
  column: Uint32Array,
): void {
  const { prices, ratings } = reader.segment.sections;
  const { marks } = reader.hidden(source);
  const values = minRating === undefined ? prices : ratings;
  const least =
    minRating === undefined ? (minPriceMinor ?? Number.NEGATIVE_INFINITY) : Math.fround(minRating);
  const most = maxPriceMinor ?? Number.POSITIVE_INFINITY;
  for (let doc = 0; doc < values.length; doc++) {
    const value = values[doc] ?? 0;
    if (value < least || value > most) continue;
    if (marks !== undefined && isDeleted(marks, doc)) continue;
    const number = column[doc] ?? 0;
    counts[number] = (counts[number] ?? 0) + 1;
  }
}
