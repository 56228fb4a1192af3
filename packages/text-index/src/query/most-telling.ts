import type { Alternative, ReadWord } from "./query-plan.ts";
import type { WordStatistics } from "./word-statistics.ts";

/** Of a longer text, so many words that the catalog has are read: each one's documents are looked through. */
export const maxReadWords = 12;

/**
 * The places of the words that are left out of a long text: the thing is read first, then the rarest words, those that are
 * never required last.
 */
export function leftOutOf(
  statistics: WordStatistics,
  words: readonly ReadWord[],
  thing: number,
): ReadonlySet<number> {
  const known = words.flatMap(({ as, alternatives: [own] }, place) =>
    own === undefined
      ? []
      : [
          {
            place,
            rank: place === thing ? 0 : as === "optional" ? 2 : 1,
            documents: documentsWith(statistics, own),
          },
        ],
  );
  if (known.length <= maxReadWords) return new Set();
  known.sort((a, b) => a.rank - b.rank || a.documents - b.documents || a.place - b.place);
  return new Set(known.slice(maxReadWords).map(({ place }) => place));
}

function documentsWith(statistics: WordStatistics, way: Alternative): number {
  if ("term" in way) return statistics.documentsWith(way.term);
  // The beginning of a word is what is being typed.
  if ("prefix" in way) return 0;
  return Math.min(...way.terms.map((term) => statistics.documentsWith(term)));
}
