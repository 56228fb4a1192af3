import type { Postings } from "../../segment/postings.ts";

/** Space to unite lists in. Zero for every document, except inside the only function that uses it. */
export interface UnionScratch {
  readonly impacts: Uint8Array;
  /** One bit per document. */
  readonly marks: Uint32Array;
}

export function createUnionScratch(documents: number): UnionScratch {
  return { impacts: new Uint8Array(documents), marks: new Uint32Array((documents + 31) >>> 5) };
}

/**
 * One list of the documents of several lists, each with its best weighted impact. Documents are marked by bits and
 * read back in order. This takes linear time; the marks of a million documents are scanned in microseconds.
 */
export function uniteLists(
  lists: ReadonlyArray<{ readonly list: Postings; readonly weight: number }>,
  { impacts: best, marks }: UnionScratch,
): Postings {
  // A prefix may match thousands of terms, all with the same weight.
  const tables = new Map<number, Uint8Array>();
  let count = 0;
  for (const { list, weight } of lists) {
    const weighted = tables.get(weight) ?? weightedImpacts(weight);
    tables.set(weight, weighted);
    for (let at = list.start; at < list.end; at++) {
      const doc = list.docs[at] ?? 0;
      const former = best[doc] ?? 0;
      const impact = weighted[list.impacts[at] ?? 0] ?? 0;
      if (impact <= former) continue;
      best[doc] = impact;
      if (former > 0) continue;
      count++;
      marks[doc >>> 5] = (marks[doc >>> 5] ?? 0) | (1 << (doc & 31));
    }
  }
  const docs = new Uint32Array(count);
  const impacts = new Uint8Array(count);
  let at = 0;
  for (let word = 0; at < count; word++) {
    let bits = marks[word] ?? 0;
    if (bits === 0) continue;
    marks[word] = 0;
    for (; bits !== 0; bits &= bits - 1) {
      const doc = (word << 5) + 31 - Math.clz32(bits & -bits);
      docs[at] = doc;
      impacts[at++] = best[doc] ?? 0;
      best[doc] = 0;
    }
  }
  return { docs, impacts, start: 0, end: count, blocks: undefined, dense: undefined };
}

/** The weighted value of each impact, at least 1. */
function weightedImpacts(weight: number): Uint8Array {
  const table = new Uint8Array(256);
  for (let impact = 0; impact < table.length; impact++)
    table[impact] = Math.max(1, Math.round(impact * weight));
  return table;
}
