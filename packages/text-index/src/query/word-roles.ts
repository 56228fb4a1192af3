import type { Language } from "../language/language.ts";
import type { ReadWord } from "./read-word.ts";
import type { WordStatistics } from "./word-statistics.ts";

/** What giving up a word costs. Light words are worth less than one describing word together, but for very long queries. */
export const cost = { light: 1, describing: 4, thing: 6 } as const;

/** What is wanted, as far as the words of a query and the names of the catalog show it. */
export interface WantedThing {
  /** Its place in the query; −1 when no word can be it. */
  readonly place: number;
  /** The catalog's names use the word as the name of a thing. */
  readonly isSure: boolean;
  /** Another word of the query could be the thing, too: the window of "window balance wrench". */
  readonly hasRival: boolean;
}

// In names that have the word at all, how often it is the thing: lamp .65, door .35, shower .01, red .02 on real titles.
const SURELY_A_THING = 0.5;
const PERHAPS_A_THING = 0.02;
const LETTERS = /^\p{L}{3,}$/u;

/**
 * The last word before "for", "with" and their like that is not merely an attribute, as far as names use it for a thing at
 * all.
 */
export function findThing(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
): WantedThing {
  const end = endOfThing(language, words);
  const shareAt = (place: number) => thingShare(statistics, words[place]);
  const candidates = words.flatMap((word, i) =>
    i < end && canBeThing(statistics, language, word) ? [i] : [],
  );
  const place =
    candidates.findLast((i) => shareAt(i) >= PERHAPS_A_THING) ??
    candidates.at(-1) ??
    words.findLastIndex(isReal);
  return {
    place,
    isSure: place >= 0 && shareAt(place) >= SURELY_A_THING,
    hasRival: candidates.some((i) => i !== place && shareAt(i) >= PERHAPS_A_THING),
  };
}

/** Where the words end that can name what is wanted. */
export function endOfThing({ linkingWords }: Language, words: readonly ReadWord[]): number {
  const first = words.findIndex(({ word }) => !linkingWords.has(word));
  const link = words.findIndex(({ word }, i) => i > first && linkingWords.has(word));
  return link < 0 ? words.length : link;
}

/**
 * Whether a word, known or not, can name a thing. What usually describes may still be the thing of this catalog: a light, a
 * glass.
 */
export function canNameThing(
  statistics: WordStatistics,
  { lightWords, attributeWords, functionWords }: Language,
  word: ReadWord,
): boolean {
  if (lightWords.has(word.word) || functionWords.has(word.word)) return false;
  return !attributeWords.has(word.word) || thingShare(statistics, word) >= SURELY_A_THING;
}

function canBeThing(statistics: WordStatistics, language: Language, word: ReadWord): boolean {
  return isReal(word) && canNameThing(statistics, language, word);
}

function isReal({ word, as, isUnit }: ReadWord): boolean {
  return !isUnit && as !== "optional" && as !== "unknown" && LETTERS.test(word);
}

/** Of the times that the word, or what also stands for it, is in a name, how often it is the thing. */
export function thingShare(statistics: WordStatistics, word: ReadWord | undefined): number {
  return Math.max(
    0,
    ...lastTerms(word).map((term) => statistics.timesThing(term) / Math.max(1, statistics.timesNamed(term))),
  );
}

/** The terms that would be the thing: of several words, the last. */
export function lastTerms(word: ReadWord | undefined): string[] {
  return (word?.alternatives ?? []).flatMap((alternative) => {
    if ("prefix" in alternative) return [];
    return "term" in alternative ? [alternative.term] : (alternative.terms.at(-1) ?? []);
  });
}

/** What giving up the word costs; nothing for a word that is never asked for. */
export function costOf({ lightWords }: Language, { word, as, isUnit }: ReadWord, isThing: boolean): number {
  if (as === "optional" || as === "unknown") return 0;
  if (isThing) return cost.thing;
  return isUnit || lightWords.has(word) ? cost.light : cost.describing;
}
