import type { FacetValue } from "../search/search-query.ts";
import type { Segment } from "../segment/segment.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { compareCodePoints, indexOfString } from "../segment/string-table.ts";
import { nameAt } from "./segment-names.ts";

/** For each name, the number of documents of a segment with it. */
export interface NameCounts {
  readonly segment: Segment;
  readonly counts: Uint32Array;
}

/**
 * The `limit` most frequent names over all segments, equal counts by name. Empty names are left out. Only the returned names
 * and those of the smaller segments are decoded, because there may be thousands of names.
 */
export function maxFrequentNames(
  [first, ...others]: readonly NameCounts[],
  kind: NameKind,
  limit: number,
): FacetValue[] {
  if (first === undefined || limit === 0) return [];
  const further = new Map<string, number>();
  for (const other of others) {
    other.counts.forEach((documents, index) => {
      if (documents === 0) return;
      const name = nameAt(other.segment, kind, index);
      const place = indexOfString(first.segment[kind], name);
      if (place < 0) further.set(name, (further.get(name) ?? 0) + documents);
      else first.counts[place] = (first.counts[place] ?? 0) + documents;
    });
  }
  const values = maxFrequent(first.counts, limit + 1).map((index) => ({
    name: nameAt(first.segment, kind, index),
    documents: first.counts[index] ?? 0,
  }));
  for (const [name, documents] of further) values.push({ name, documents });
  values.sort((a, b) => b.documents - a.documents || compareCodePoints(a.name, b.name));
  return values.filter(({ name }) => name !== "").slice(0, limit);
}

/** The indices of the largest counts, largest first; equal counts by index. */
function maxFrequent(counts: Uint32Array, limit: number): number[] {
  const best: number[] = [];
  let floor = 0;
  for (let index = 0; index < counts.length; index++) {
    const count = counts[index] ?? 0;
    if (count <= floor) continue;
    let at = best.length;
    while (at > 0 && (counts[best[at - 1] ?? 0] ?? 0) < count) at--;
    best.splice(at, 0, index);
    if (best.length > limit) best.pop();
    if (best.length === limit) floor = counts[best.at(-1) ?? 0] ?? 0;
  }
  return best;
}
