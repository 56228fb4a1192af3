import type { Alternative } from "../query/query-plan.ts";
import { firstPartWeight } from "../query/spell.ts";
import { tokenize } from "../text/tokenize.ts";
import type { SegmentReader } from "./segment-reader.ts";
import { maxPoints, meanRarityOf, type WeighedWord } from "./weigh-words.ts";

// Shares of a word's rarity. Measured on judged queries;
/** Two adjacent words of the query that are also adjacent in the name. */
const neighbourShare = 0.4;
/** The same form of the word, not only its stem. */
const sameFormShare = 0.3;
/** The thing in the query is the thing in the name: "desk lamp" in "Brass Desk Lamp with Dimmer". */
const sameThingShare = 0.2;

/** The whole name, in the order of its words. More than the points above can be; less than those of a full match. */
const sameNamePoints = 1 << 21;

const partMask = 7;

/** What the name of a document adds to its score. */
export type NameBonus = (doc: number) => number;

/** The query by whose words names are ranked. */
export interface RankedQuery {
  readonly text: string;
  readonly words: readonly WeighedWord[];
  /** The index of the word for the thing. */
  readonly thing: number;
}

/** Computes the bonus of names from the order and forms of their words, in one pass over a name. */
export function createNameBonus(reader: SegmentReader, { text, words, thing }: RankedQuery): NameBonus {
  const title = tokenize(text).map((word) => reader.idsOfWord(word));
  // For each term of the segment, the positions in the query that it matches, as bits (there are at most 32 words).
  const placesOf = new Map<number, number>();
  const forms = new Map<number, number>();
  // Most words of a name are not in the query. A small table of the terms' last bits excludes nearly all of them. As an array
  // of numbers it is made faster than as a typed one.
  const lastBits = [0, 0, 0, 0, 0, 0, 0, 0];
  words.forEach(({ alternatives, used }, place) => {
    for (const term of reader.termsOf(alternatives)) {
      placesOf.set(term, (placesOf.get(term) ?? 0) | (1 << place));
      const part = (term >>> 5) & partMask;
      lastBits[part] = (lastBits[part] ?? 0) | (1 << (term & 31));
    }
    for (const id of reader.idsOfWord(used[0] ?? "")) forms.set(id, place);
  });
  const things = thingTerms(reader, words[thing]);
  const neighbourPoints = words.map(
    ({ rarity }, i) => neighbourShare * maxPoints * Math.min(rarity, words[i + 1]?.rarity ?? 0),
  );
  const formPoints = words.map(({ rarity }) => sameFormShare * maxPoints * rarity);
  const thingPoints = sameThingShare * maxPoints * meanRarityOf(words);
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
      const term = wordTerms[word] ?? 0;
      const mayMatch = (lastBits[(term >>> 5) & partMask] ?? 0) & (1 << (term & 31));
      const places = mayMatch === 0 ? 0 : (placesOf.get(term) ?? 0);
      if (places !== 0) {
        neighbours |= previous & (places >>> 1);
        const place = forms.get(word);
        if (place !== undefined) sameForms |= 1 << place;
        if (at === headAt && (things === undefined ? (places >>> thing) & 1 : things.has(term)))
          bonus += thingPoints;
      }
      previous = places;
    }
    if (end - start === title.length && title.every((ids, i) => ids.includes(nameWords[start + i] ?? 0)))
      bonus += sameNamePoints;
    return Math.round(bonus + sumOver(neighbours, neighbourPoints) + sumOver(sameForms, formPoints));
  };
}

/**
 * The terms of documents that are the thing: "Schreibtischlampe" for lamp, but not for desk. Undefined if all terms of the
 * word are.
 */
function thingTerms(reader: SegmentReader, word: WeighedWord | undefined): ReadonlySet<number> | undefined {
  const alternatives = word?.alternatives ?? [];
  const isThing = ({ weight }: Alternative) => weight > firstPartWeight;
  if (alternatives.length > 0 && alternatives.every(isThing)) return undefined;
  return reader.termsOf(alternatives.filter(isThing));
}

function sumOver(places: number, points: readonly number[]): number {
  let sum = 0;
  for (let place = 0, left = places; left !== 0; place++, left >>>= 1)
    if ((left & 1) === 1) sum += points[place] ?? 0;
  return sum;
}
