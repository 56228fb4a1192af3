import { settle } from "../search/matches/matches.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import { type Postings, postingCount, TermPostings } from "../segment/postings.ts";
import { type AllCounts, countRows } from "./facet-rows.ts";

/** Shorter lists are counted as fast as a cache is read. */
const leastKept = 1_024;

/** What tells the list of a frequent word, which a term has or several have; undefined for other lists. */
export function frequentList(postings: Postings | undefined): number | string | undefined {
  if (postings === undefined || postingCount(postings) < leastKept) return undefined;
  return postings instanceof TermPostings ? postings.term : postings.united;
}

/**
 * The counts of all facets over the matches, if these are all documents of a frequent term that a search of the source
 * sees: they are counted once and kept as long as the snapshot. Undefined for other matches. Counting them for each
 * query made a search with all facets take 3.2 times as long as without; it is 1.45 times now.
 */
export function countsOfTerm(
  reader: SegmentReader,
  source: number | undefined,
  postings = reader.state.matches.deferred?.postings,
): AllCounts | undefined {
  const { matches } = reader.state;
  const list = frequentList(postings);
  if (list === undefined) return undefined;
  const counts = reader.hidden(source).termCounts.get(list, () => {
    settle(matches);
    return countRows(reader.segment, matches.docs, matches.count) ?? "too wide";
  });
  return counts === "too wide" ? undefined : counts;
}
