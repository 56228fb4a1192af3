import { BoundedCache } from "../bounded-cache.ts";
import type { PlannedWord } from "../query/query-plan.ts";
import { type Reading, readText } from "../query/reading.ts";
import { eachDoc } from "../segment/packed-postings.ts";
import { PostingsCursor, postingCount, TermPostings } from "../segment/postings.ts";
import { isDeleted } from "../segment/segment.ts";
import { checkTime } from "../time-limit.ts";
import { createQueryPlanner, type IndexInternals } from "./query-reader.ts";
import type { SearchQuery } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";

const keptReadings = 2_000;
const readingsOf = new WeakMap<readonly SegmentReader[], BoundedCache<string, Reading>>();

/** What a text means for a source. A snapshot never changes, so each text is read once. */
export function readInIndex(
  internals: IndexInternals,
  { text, everyWord = false, asWritten = false, filters }: SearchQuery,
): Reading {
  const { readers } = internals;
  const readings = readingsOf.get(readers) ?? new BoundedCache<string, Reading>(keptReadings);
  readingsOf.set(readers, readings);
  const source = filters?.source;
  return readings.get(`${source} ${everyWord} ${asWritten} ${text}`, () => {
    const steps = readText(createQueryPlanner(internals, { asWritten }), { text, everyWord });
    for (let step = steps.next(); ; ) {
      if (step.done) return step.value;
      const question = step.value;
      step = steps.next(
        readers.some((reader) =>
          question.kind === "key"
            ? hasKey(reader, question.key, source)
            : hasWords(reader, question.words, source),
        ),
      );
    }
  });
}

function hasKey(reader: SegmentReader, key: string, source: number | undefined): boolean {
  const { sources } = reader.segment.sections;
  return reader.documentsWithKey(key).some((doc) => source === undefined || sources[doc] === source);
}

/** Whether a live document of the source has all required words. Ends at the first one. */
function hasWords(reader: SegmentReader, words: readonly PlannedWord[], source: number | undefined): boolean {
  checkTime();
  const [rarest, ...others] = words
    .filter(({ isRequired }) => isRequired)
    .map(({ alternatives }) => reader.postingsOf(alternatives))
    .sort((a, b) => postingCount(a) - postingCount(b));
  if (rarest === undefined || postingCount(rarest) === 0) return false;
  const cursors = others.map((list) => new PostingsCursor(list));
  const { deletions, segment } = reader;
  const { sources } = segment.sections;
  const has = (doc: number) => {
    if (source !== undefined && sources[doc] !== source) return false;
    if (deletions !== undefined && isDeleted(deletions, doc)) return false;
    for (const cursor of cursors) if (cursor.impactOn(doc) === 0) return false;
    return true;
  };
  if (others.length === 0 && rarest instanceof TermPostings) {
    // Hardly more than the first document is read. The lists of several words are unpacked for the search as well.
    for (const doc of eachDoc(segment.sections, rarest.term)) if (has(doc)) return true;
    return false;
  }
  const { docs, start, end } = rarest;
  for (let at = start; at < end; at++) if (has(docs[at] ?? 0)) return true;
  return false;
}
