import type { Language } from "../language/language.ts";
import type { Alternative, ReadWord, WordRole, WordStatistics } from "./query-plan.ts";

/** The thing that is wanted, as far as the words of the query and the names of the catalog show it. */
export interface WantedThing {
  /** Its index in the query; −1 if no word can be it. */
  readonly place: number;
  /** Names in the catalog use the word for a thing. */
  readonly isSure: boolean;
}

// The share of names with the word in which it is the thing: lamp .65, door .35, shower .01, red .02 on real titles.
export const surelyAThing = 0.5;
export const perhapsAThing = 0.02;
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
 * Whether a word, known or unknown, can name a thing. A word that usually describes, or says little, may still be the thing in
 * this catalog: a light, a glass, a can.
 */
export function canNameThing(
  statistics: WordStatistics,
  { lightWords, attributeWords, functionWords, thingWords }: Language,
  { word, alternatives }: ReadWord,
): boolean {
  const isLight = lightWords.has(word);
  if (functionWords.has(word) || (isLight && !thingWords.has(word))) return false;
  return !(isLight || attributeWords.has(word)) || thingShare(statistics, { alternatives }) >= surelyAThing;
}

function canBeThing(statistics: WordStatistics, language: Language, word: ReadWord): boolean {
  return isReal(word) && canNameThing(statistics, language, word);
}

function isReal({ word, as, isUnit }: ReadWord): boolean {
  return !isUnit && as !== "optional" && as !== "unknown" && foldedLetters.test(word);
}

/** The share of names with the word, or a synonym of it, in which it is the thing. */
export function thingShare(
  statistics: WordStatistics,
  word: Pick<ReadWord, "alternatives"> | undefined,
): number {
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
export function lastTerms(word: Pick<ReadWord, "alternatives"> | undefined): string[] {
  return (word?.alternatives ?? []).flatMap((alternative) => lastTerm(alternative) ?? []);
}

function lastTerm(alternative: Alternative): string | undefined {
  if ("prefix" in alternative) return undefined;
  return "term" in alternative ? alternative.term : alternative.terms.at(-1);
}

/**
 * What each word says, beside the thing. A text without a sure thing is a name: of its words, only what is surely no part of one
 * may be dropped.
 */
export function rolesOf(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
  thing: WantedThing,
): WordRole[] {
  const end = endOfThing(language, words);
  const namesThing = thing.place >= 0 && thingShare(statistics, words[thing.place]) >= perhapsAThing;
  return words.map((word, place) => {
    if (word.as === "optional") return "none";
    if (place === thing.place) return "thing";
    if (isMeasure(language, word)) return "measure";
    const isBeside = language.names.thingFirst ? place > thing.place : place < Math.min(end, thing.place);
    const isIn = (list: ReadonlySet<string>) => list.has(word.word) || list.has(language.termOf(word.word));
    if (isBeside && isIn(language.definingWords)) return "defining";
    if (isIn(language.useWords)) return "use";
    if (language.attributeWords.has(word.word) || isInCompound(language, words, place)) return "property";
    if (!namesThing) return place < end ? "defining" : "use";
    // "Trampoline net" is no trampoline, even if the catalog has no nets.
    const isDefining =
      isBeside || (word.as === "unknown" && place < end)
        ? !isOfBrand(statistics, word) &&
          (isNoun(statistics, language, word) || arePhrase(statistics, word, words[place + 1]))
        : isBefore(statistics, word, words[thing.place]);
    return isDefining ? "defining" : "use";
  });
}

/** "Gluten" and "free" are one property. */
function isInCompound({ propertyEnds }: Language, words: readonly ReadWord[], place: number): boolean {
  return [words[place], words[place + 1]].some((word) => word !== undefined && propertyEnds.has(word.word));
}

function isMeasure({ lightWords }: Language, { word, isUnit }: ReadWord): boolean {
  return isUnit || lightWords.has(word) || !onlyLetters.test(word) || word.length === 1;
}

/** Whether it can be the name of a thing or of a substance. */
function isNoun(statistics: WordStatistics, { thingTerms, dictionary, termOf }: Language, word: ReadWord) {
  const used = word.used[0] ?? word.word;
  return (
    thingTerms.has(termOf(used)) || dictionary.isNoun(used) || thingShare(statistics, word) >= perhapsAThing
  );
}

function isOfBrand(statistics: WordStatistics, word: ReadWord): boolean {
  return lastTerms(word).some((term) => statistics.isOfBrand(term));
}

/** Two words are a phrase if most names that have both have them next to each other. */
const phraseShare = 0.9;
const phraseNames = 2;

function arePhrase(statistics: WordStatistics, left: ReadWord, right: ReadWord | undefined): boolean {
  const [one, other] = [lastTerms(left)[0], lastTerms(right)[0]];
  if (one === undefined || other === undefined) return false;
  const { names, adjacent } = statistics.adjacency(one, other);
  return adjacent >= phraseNames && adjacent >= phraseShare * names;
}

/** Whether names have the word right before the thing: "food for dogs" is "Dog Food". */
function isBefore(statistics: WordStatistics, word: ReadWord, thing: ReadWord | undefined): boolean {
  const [own, other] = [lastTerms(word)[0], lastTerms(thing)[0]];
  return own !== undefined && other !== undefined && statistics.adjacency(own, other).adjacent > 0;
}
