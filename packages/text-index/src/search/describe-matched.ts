import type { PlannedWord } from "../query/query-plan.ts";
import type { Reading } from "../query/reading.ts";
import { spelled } from "../segment/spellings.ts";
import type { SearchResult } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";

export type DescribedReading = Pick<
  SearchResult,
  "finds" | "correctedText" | "thing" | "isThingNamed" | "absentThing" | "words"
>;

/** What a result says about how its text was read. */
export function describeReading(
  readers: readonly SegmentReader[],
  { finds, words, thing, isThingSure, isThingNamed, absentThing }: Reading,
): DescribedReading {
  return {
    finds,
    correctedText: correctedText(readers, words),
    thing: isThingSure ? words[thing]?.word : undefined,
    isThingNamed,
    absentThing,
    words: words.map(({ word, as, used }) => ({ word, as, used })),
  };
}

function correctedText(readers: readonly SegmentReader[], words: readonly PlannedWord[]): string | undefined {
  const isCorrected = ({ as, used, word }: PlannedWord) =>
    as === "corrected" || as === "split" || (as === "dropped" && used[0] !== word);
  if (!words.some(isCorrected)) return undefined;
  const read = words.map(({ as, word, used }) => (as === "completed" ? word : (used[0] ?? word)));
  // Two words that were joined into one are both matched by it.
  const text = read.filter((word, i) => word !== read[i - 1]).join(" ");
  return spelled(
    readers.map(({ segment }) => segment),
    text,
  );
}
