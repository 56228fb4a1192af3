import type { Language } from "../language/language.ts";
import type { Alternative, ReadWord } from "./query-plan.ts";
import type { WordStatistics } from "./word-statistics.ts";

/**
 * The cost of dropping a word. A word that is only an attribute is dropped before the thing and before the word that defines
 * it: for "erosion mat", products against erosion are as good as mats.
 */
export const cost = { light: 1, describing: 4, naming: 6 } as const;

/** The thing that is wanted, as far as the words of the query and the names of the catalog show it. */
export interface WantedThing {
  /** Its index in the query; −1 if no word can be it. */
  readonly place: number;
  /** Names in the catalog use the word for a thing. */
  readonly isSure: boolean;
}

// The share of names with the word in which it is the thing: lamp .65, door .35, shower .01, red .02 on real titles.
const surelyAThing = 0.5;
const perhapsAThing = 0.02;
const foldedLetters = /^\p{L}{3,}$/u;
const onlyLetters = /^\p{L}+$/u;

/**
 * The last word before "for", "with" and the like that is not only an attribute, if names use it for a thing at all.
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
  const inOrder = language.names.thingFirst ? candidates : candidates.toReversed();
  const place = inOrder.find((i) => shareAt(i) >= perhapsAThing) ?? inOrder[0] ?? words.findLastIndex(isReal);
  return {
    place,
    isSure: place >= 0 && shareAt(place) >= surelyAThing,
  };
}

/** The end of the words that can name the thing. */
export function endOfThing({ linkingWords }: Language, words: readonly ReadWord[]): number {
  const first = words.findIndex(({ word }) => !linkingWords.has(word));
  const link = words.findIndex(({ word }, i) => i > first && linkingWords.has(word));
  return link < 0 ? words.length : link;
}

/**
 * Whether a word, known or unknown, can name a thing. A word that usually describes may still be the thing in this catalog:
 * a light, a glass.
 */
export function canNameThing(
  statistics: WordStatistics,
  { lightWords, attributeWords, functionWords }: Language,
  word: ReadWord,
): boolean {
  if (lightWords.has(word.word) || functionWords.has(word.word)) return false;
  return !attributeWords.has(word.word) || thingShare(statistics, word) >= surelyAThing;
}

function canBeThing(statistics: WordStatistics, language: Language, word: ReadWord): boolean {
  return isReal(word) && canNameThing(statistics, language, word);
}

function isReal({ word, as, isUnit }: ReadWord): boolean {
  return !isUnit && as !== "optional" && as !== "unknown" && foldedLetters.test(word);
}

/** The share of names with the word, or a synonym of it, in which it is the thing. */
export function thingShare(statistics: WordStatistics, word: ReadWord | undefined): number {
  let most = 0;
  for (const alternative of word?.alternatives ?? []) {
    const term = lastTerm(alternative);
    const times = term === undefined ? 0 : statistics.timesThing(term);
    if (term !== undefined && times > 0)
      most = Math.max(most, times / Math.max(1, statistics.timesNamed(term)));
  }
  return most;
}

/** The terms that would be the thing: of several words, the last one. */
export function lastTerms(word: ReadWord | undefined): string[] {
  return (word?.alternatives ?? []).flatMap((alternative) => lastTerm(alternative) ?? []);
}

function lastTerm(alternative: Alternative): string | undefined {
  if ("prefix" in alternative) return undefined;
  return "term" in alternative ? alternative.term : alternative.terms.at(-1);
}

/** The cost of dropping the word; 0 for a word that is never required. */
export function costOf(
  { lightWords, attributeWords }: Language,
  { word, as, isUnit }: ReadWord,
  isThing: boolean,
): number {
  if (as === "optional" || as === "unknown") return 0;
  if (isThing) return cost.naming;
  if (isUnit || lightWords.has(word)) return cost.light;
  return attributeWords.has(word) || !onlyLetters.test(word) ? cost.describing : cost.naming;
}
