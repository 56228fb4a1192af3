import type { WeighedWord } from "./match-query.ts";
import type { SegmentReader } from "./segment-reader.ts";

// Two neighbours of the query that are neighbours in a name, too, are worth this share of the lesser one's score.
const NEIGHBOUR_SHARE = 0.3;

/** How much the name of a document gains from having words of the query side by side and in order. */
export type ProximityBonus = (doc: number) => number;

export function proximityBonus(reader: SegmentReader, words: readonly WeighedWord[]): ProximityBonus {
  // For each term of the segment, the places in the query that it can stand for, as bits (there are at most 32 words).
  const placesOf = new Map<number, number>();
  words.forEach((word, place) => {
    for (const term of reader.termsOf(word.alternatives))
      placesOf.set(term, (placesOf.get(term) ?? 0) | (1 << place));
  });
  const worth = words.map(
    (word, i) => NEIGHBOUR_SHARE * 255 * Math.min(word.weight, words[i + 1]?.weight ?? 0),
  );
  const { nameOffsets, nameTerms } = reader.segment.sections;
  return (doc) => {
    const end = nameOffsets[doc + 1] ?? 0;
    let previous = 0;
    let found = 0;
    for (let at = nameOffsets[doc] ?? 0; at < end; at++) {
      const places = placesOf.get(nameTerms[at] ?? 0) ?? 0;
      found |= previous & (places >>> 1);
      previous = places;
    }
    let bonus = 0;
    for (let place = 0; found !== 0; place++, found >>>= 1) if ((found & 1) === 1) bonus += worth[place] ?? 0;
    return Math.round(bonus);
  };
}
