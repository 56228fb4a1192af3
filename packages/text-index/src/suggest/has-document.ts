import type { SegmentReader } from "../search/segment-reader.ts";
import { gallop, noPostings, type Postings, postingCount } from "../segment/postings.ts";

/** Whether a live document of the source, or of any, has all the terms. Stops at the first one, usually at once. */
export function hasDocument(
  readers: readonly SegmentReader[],
  terms: readonly string[],
  source: number | undefined,
): boolean {
  return readers.some((reader) => hasOne(reader, terms, source));
}

function hasOne(reader: SegmentReader, terms: readonly string[], source: number | undefined): boolean {
  const ids = terms.map((term) => reader.idOf(term));
  if (ids.includes(-1)) return false;
  const lists = ids.map((id) => reader.postingsOfTerm(id)).sort((a, b) => postingCount(a) - postingCount(b));
  const [rarest, ...others] = lists;
  if (rarest === undefined || !canMeet(reader, ids, rarest)) return false;
  const hidden = reader.hidden(source);
  const places = others.map(({ start }) => start);
  for (let at = rarest.start; at < rarest.end; at++) {
    const doc = rarest.docs[at] ?? 0;
    if (!hidden.has(doc) && hasDoc(others, places, doc)) return true;
  }
  return false;
}

/** Whether all lists have the document. Documents are asked for in ascending order. */
function hasDoc(lists: readonly Postings[], places: number[], doc: number): boolean {
  for (let i = 0; i < lists.length; i++) {
    const { dense, docs, end } = lists[i] ?? noPostings;
    if (dense === undefined) {
      const place = gallop(docs, places[i] ?? 0, end, doc);
      places[i] = place;
      if (place === end || docs[place] !== doc) return false;
    } else if (dense[doc] === 0) return false;
  }
  return true;
}

/** In lists of this many documents, a search for two terms that never occur together takes long. */
const longList = 500;

/** False if two of the terms are in no document together. Of frequent terms this is known after the first time. */
function canMeet(reader: SegmentReader, ids: readonly number[], rarest: Postings): boolean {
  if (postingCount(rarest) < longList) return true;
  return ids.every((id, i) => ids.slice(i + 1).every((other) => reader.areTogether(id, other)));
}

/** The number of best documents with a word that are checked. */
const namesLookedAt = 64;

/**
 * Whether the word names things: one of the best documents of the source has it in its name, not only in its
 * description.
 */
export function isInName(
  readers: readonly SegmentReader[],
  word: string,
  source: number | undefined,
): boolean {
  return readers.some((reader) => {
    const { segment } = reader;
    const hidden = reader.hidden(source);
    const { postingDocs, postingOffsets, nameOffsets, nameWords, wordTerms } = segment.sections;
    return reader.idsOfWord(word).some((index) => {
      const term = wordTerms[index] ?? 0;
      const end = postingOffsets[term + 1] ?? 0;
      for (let at = postingOffsets[term] ?? 0, looked = 0; at < end && looked < namesLookedAt; at++) {
        const doc = postingDocs[at] ?? 0;
        if (hidden.has(doc)) continue;
        looked++;
        for (let i = nameOffsets[doc] ?? 0; i < (nameOffsets[doc + 1] ?? 0); i++)
          if (nameWords[i] === index) return true;
      }
      return false;
    });
  });
}
