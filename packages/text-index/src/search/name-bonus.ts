import { indexOfString } from "../segment/string-table.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { meanRarityOf, POINTS, type WeighedWord } from "./weigh-words.ts";

// Shares of a word's rarity. Measured on judged queries; docs/decisions has the figures.
/** Two neighbours of the query that are neighbours in the name, too. */
const NEIGHBOURS = 0.4;
/** The very form of the word, not only its stem. */
const SAME_FORM = 0.3;
/** The thing that is wanted is the thing that is named: "desk lamp" in "Brass Desk Lamp with Dimmer". */
const SAME_THING = 0.2;

/** What the name of a document adds to its score. */
export type NameBonus = (doc: number) => number;

/** Works out what names are worth, from the words' order and forms, in one pass over a name. */
export function createNameBonus(
  reader: SegmentReader,
  words: readonly WeighedWord[],
  thing: number,
): NameBonus {
  // For each term of the segment, the places in the query that it can stand for, as bits (there are at most 32 words).
  const placesOf = new Map<number, number>();
  words.forEach((word, place) => {
    for (const term of reader.termsOf(word.alternatives))
      placesOf.set(term, (placesOf.get(term) ?? 0) | (1 << place));
  });
  const forms = new Map(
    words.map((word, place) => [indexOfString(reader.segment.words, word.used[0] ?? ""), place]),
  );
  const neighbourPoints = words.map(
    ({ rarity }, i) => NEIGHBOURS * POINTS * Math.min(rarity, words[i + 1]?.rarity ?? 0),
  );
  const formPoints = words.map(({ rarity }) => SAME_FORM * POINTS * rarity);
  const thingPoints = SAME_THING * POINTS * meanRarityOf(words);
  const { nameOffsets, nameWords, nameHeads, wordTerms } = reader.segment.sections;
  return (doc) => {
    const start = nameOffsets[doc] ?? 0;
    const end = nameOffsets[doc + 1] ?? 0;
    const headAt = start + (nameHeads[doc] ?? 0) - 1;
    let neighbours = 0;
    let sameForms = 0;
    let previous = 0;
    let bonus = 0;
    for (let at = start; at < end; at++) {
      const word = nameWords[at] ?? 0;
      const places = placesOf.get(wordTerms[word] ?? 0) ?? 0;
      if (places !== 0) {
        neighbours |= previous & (places >>> 1);
        const place = forms.get(word);
        if (place !== undefined) sameForms |= 1 << place;
        if (at === headAt && thing >= 0 && ((places >>> thing) & 1) === 1) bonus += thingPoints;
      }
      previous = places;
    }
    return Math.round(bonus + sumOver(neighbours, neighbourPoints) + sumOver(sameForms, formPoints));
  };
}

function sumOver(places: number, points: readonly number[]): number {
  let sum = 0;
  for (let place = 0, left = places; left !== 0; place++, left >>>= 1)
    if ((left & 1) === 1) sum += points[place] ?? 0;
  return sum;
}
