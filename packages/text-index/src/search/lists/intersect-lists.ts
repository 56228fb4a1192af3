import { gallop, noPostings, type Postings, postingCount } from "../../segment/postings.ts";

/** One list of the documents that all lists have, each with its lowest impact: a group counts as its weakest word. */
export function intersectLists(lists: readonly Postings[]): Postings {
  const [shortest, ...others] = lists.toSorted((a, b) => postingCount(a) - postingCount(b));
  if (shortest === undefined || postingCount(shortest) === 0) return noPostings;
  const docs = shortest.docs.slice(shortest.start, shortest.end);
  const impacts = shortest.impacts.slice(shortest.start, shortest.end);
  let count = docs.length;
  for (const other of others) count = keepListed(docs, impacts, count, other);
  return { docs, impacts, start: 0, end: count, blocks: undefined, dense: undefined };
}

function keepListed(docs: Uint32Array, impacts: Uint8Array, count: number, list: Postings): number {
  const { dense } = list;
  let at = list.start;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    let impact = 0;
    if (dense !== undefined) impact = dense[doc] ?? 0;
    else {
      at = gallop(list.docs, at, list.end, doc);
      if (at === list.end) break;
      if (list.docs[at] === doc) impact = list.impacts[at] ?? 0;
    }
    if (impact === 0) continue;
    docs[kept] = doc;
    impacts[kept] = Math.min(impacts[i] ?? 0, impact);
    kept++;
  }
  return kept;
}
