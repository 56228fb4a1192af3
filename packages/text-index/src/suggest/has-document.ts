import type { SegmentReader } from "../search/segment-reader.ts";
import { gallop } from "../segment/postings.ts";
import { indexOfString } from "../segment/string-table.ts";
import { numbersOfWord } from "../segment/word-forms.ts";

/** Whether a live document of the source, or of any, has all the terms. Stops at the first one, usually at once. */
export function hasDocument(
  readers: readonly SegmentReader[],
  terms: readonly string[],
  source: number | undefined,
): boolean {
  return readers.some((reader) => hasOne(reader, terms, source));
}

interface List {
  at: number;
  readonly end: number;
}

function hasOne(reader: SegmentReader, terms: readonly string[], source: number | undefined): boolean {
  const { segment, liveSources } = reader;
  const { postingDocs, postingOffsets } = segment.sections;
  const lists: List[] = [];
  for (const term of terms) {
    const index = indexOfString(segment.terms, term);
    if (index < 0) return false;
    lists.push({ at: postingOffsets[index] ?? 0, end: postingOffsets[index + 1] ?? 0 });
  }
  const [rarest, ...others] = lists.sort((a, b) => a.end - a.at - (b.end - b.at));
  if (rarest === undefined) return false;
  for (let at = rarest.at; at < rarest.end; at++) {
    const doc = postingDocs[at] ?? 0;
    if (!isOf(liveSources, doc, source)) continue;
    if (others.every((list) => advance(list, postingDocs, doc))) return true;
  }
  return false;
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
  return readers.some(({ segment, liveSources }) => {
    const { postingDocs, postingOffsets, nameOffsets, nameWords, wordTerms } = segment.sections;
    return numbersOfWord(segment.words, word).some((index) => {
      const term = wordTerms[index] ?? 0;
      const end = postingOffsets[term + 1] ?? 0;
      for (let at = postingOffsets[term] ?? 0, looked = 0; at < end && looked < namesLookedAt; at++) {
        const doc = postingDocs[at] ?? 0;
        if (!isOf(liveSources, doc, source)) continue;
        looked++;
        for (let i = nameOffsets[doc] ?? 0; i < (nameOffsets[doc + 1] ?? 0); i++)
          if (nameWords[i] === index) return true;
      }
      return false;
    });
  });
}

/** The value that a reader sets for the source of deleted documents. */
const noSource = 255;

/** Whether a document is live and of the wanted source, if one is wanted. */
function isOf(liveSources: Uint8Array, doc: number, source: number | undefined): boolean {
  return source === undefined ? liveSources[doc] !== noSource : liveSources[doc] === source;
}

function advance(list: List, docs: Uint32Array, doc: number): boolean {
  list.at = gallop(docs, list.at, list.end, doc);
  return list.at < list.end && docs[list.at] === doc;
}
