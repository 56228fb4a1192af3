import { spelled } from "../segment/spellings.ts";
import type { Matched } from "./match-query.ts";
import type { SearchResult, WordReading } from "./search-query.ts";
import type { SegmentReader } from "./segment-reader.ts";
import type { WeighedWord } from "./weigh-words.ts";

/** Only words that none of so many first hits has are called dropped. */
export const firstHits = 10;

export type DescribedMatches = Pick<
  SearchResult,
  "total" | "totalWithEveryWord" | "correctedText" | "thing" | "absentThing" | "words"
>;

/** What a result says about its words. `firstHave`: whether one of the first hits has a word; undefined without a hit. */
export function describeMatched(
  readers: readonly SegmentReader[],
  { words, total, totalWithEveryWord, thing, isThingSure, absentThing }: Matched,
  firstHave: ((word: WeighedWord, place: number) => boolean) | undefined,
): DescribedMatches {
  const isLacking = totalWithEveryWord === 0 && firstHave !== undefined;
  return {
    total,
    totalWithEveryWord,
    correctedText: correctedText(readers, words),
    thing: isThingSure ? words[thing]?.word : undefined,
    absentThing,
    words: words.map((word, place) => describe(word, !isLacking || firstHave(word, place))),
  };
}

function correctedText(readers: readonly SegmentReader[], words: readonly WeighedWord[]): string | undefined {
  if (!words.some(({ as }) => as === "corrected" || as === "split")) return undefined;
  const read = words.map(({ as, word, used }) => (as === "completed" ? word : (used[0] ?? word)));
  // Two words that were joined into one are both matched by it.
  const text = read.filter((word, i) => word !== read[i - 1]).join(" ");
  return spelled(
    readers.map(({ segment }) => segment),
    text,
  );
}

function describe({ word, as, used }: WeighedWord, isPresent: boolean): WordReading {
  const isKept = isPresent || as === "optional" || as === "unknown";
  return { word, as: isKept ? as : "dropped", used };
}
