import type { Language } from "../language/language.ts";
import type { ReadWord } from "./query-plan.ts";
import { canNameThing, endOfThing, lastTerms, thingShare } from "./word-roles.ts";
import type { WordStatistics } from "./word-statistics.ts";

const foldedLetters = /^\p{L}{2,}$/u;

/**
 * The thing that a query asks for, if the catalog has no such thing: its products may have the other words, or this word
 * only as a description (a backpack with room for a laptop). Undefined if the catalog may have one.
 */
export function findAbsentThing(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
): string | undefined {
  const canBe = (word: ReadWord) =>
    !word.isUnit && foldedLetters.test(word.word) && canNameThing(statistics, language, word);
  const named = words.slice(0, endOfThing(language, words));
  const thing = language.names.thingFirst ? named.find(canBe) : named.findLast(canBe);
  if (thing === undefined || thing.as === "completed") return undefined;
  const isAbsent =
    thing.as === "unknown"
      ? isNoun(statistics, language, thing.word) || !namesThing(statistics, words)
      : isDescriptionOnly(statistics, language, thing);
  return isAbsent ? thing.word : undefined;
}

/** A noun that is similar to a word of the catalog may be a misspelling: adopter, adapter. */
function isNoun(
  statistics: WordStatistics,
  { thingTerms, dictionary, termOf }: Language,
  word: string,
): boolean {
  if (thingTerms.has(termOf(word))) return true;
  return dictionary.isNoun(word) && statistics.similarWords(word, 1).length === 0;
}

function namesThing(statistics: WordStatistics, words: readonly ReadWord[]): boolean {
  return words.some((word) => word.as !== "optional" && thingShare(statistics, word) > 0);
}

/** Whether the catalog has the word only to say what another thing is for or like. */
function isDescriptionOnly(statistics: WordStatistics, { thingTerms }: Language, word: ReadWord): boolean {
  if (thingShare(statistics, word) > 0) return false;
  return lastTerms(word).every(
    (term) => thingTerms.has(term) && (statistics.timesNamed(term) === 0 || statistics.onlyDescribes(term)),
  );
}
