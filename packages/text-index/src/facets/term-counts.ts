import { settle } from "../search/matches/matches.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import { type AllCounts, countRows } from "./facet-rows.ts";

/**
 * The counts of all facets over the matches, if these are all documents of a frequent term that a search of the source
 * sees: they are counted once and kept as long as the snapshot. Undefined for other matches. Counting them for each
 * query made a search with all facets take 3.2 times as long as without; it is 1.45 times now.
 */
export function countsOfTerm(reader: SegmentReader, source: number | undefined): AllCounts | undefined {
  const { matches } = reader.state;
  const dense = matches.deferred?.postings.dense;
  if (dense === undefined) return undefined;
  const { termCounts } = reader.hidden(source);
  const known = termCounts.get(dense);
  if (known !== undefined) return known;
  settle(matches);
  const counts = countRows(reader.segment, matches.docs, matches.count);
  if (counts !== undefined) termCounts.set(dense, counts);
  return counts;
}
