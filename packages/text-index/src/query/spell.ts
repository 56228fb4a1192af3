import { noDictionary } from "../language/dictionary.ts";
import type { Language } from "../language/language.ts";
import { editDistance } from "../text/edit-distance.ts";
import { headOfCompound, splitCompound } from "./compounds.ts";
import type { SimilarWord, WordStatistics } from "./query-plan.ts";

/** The probable meaning of an unknown word. */
export interface Spelling {
  readonly as: "corrected" | "split";
  readonly words: readonly string[];
}

const wordPattern = /^[\p{L}\p{M}]+$/u;
const minLength = 3;
const twoEditsFromLength = 7;
const threeEditsFromLength = 9;
// With so few letters, most changes give another real word that was not meant (tent, ten; nike, nine).
const fewLetters = 4;
const longEnough = 6;
// A word of few documents may be a misspelling in the catalog, if a similar word is in this many times more.
const timesRarer = 10;
const fewDocuments = 20;
const minPart = 3;
// The first letter is rarely wrong, so such a word counts as half an edit further away.
const firstLetterPenalty = 0.5;
// Shoppers name things: "sandles" are rather sandals than handles that something has.
const noThingPenalty = 0.75;

/**
 * The most similar known word, or two known words that are adjacent in a name. Numbers are never corrected, and a word of
 * the language is never replaced by another: "flight" does not mean "light".
 */
export function spell(statistics: WordStatistics, language: Language, word: string): Spelling | undefined {
  const { dictionary, synonyms, isOrdinaryWord } = language;
  if (!wordPattern.test(word) || word.length < minLength) return undefined;
  const split = splitWord(statistics, language, word);
  if (split !== undefined) return { as: "split", words: split };
  const head = headOfCompound(statistics, language, word);
  if (head !== undefined) return { as: "split", words: [head] };
  if (dictionary.has(word) || isOrdinaryWord?.(word)) return undefined;
  const corrected = nearest(statistics, language, word, limitOf(word), 1) ?? nearestOf(synonyms.words, word);
  return corrected === undefined ? undefined : { as: "corrected", words: [corrected] };
}

/** The catalog may call a bicycle a bike, so "bycicle" must be compared with synonyms as well. */
function nearestOf(words: readonly string[], word: string): string | undefined {
  const limit = Math.min(2, limitOf(word));
  let best: SimilarWord | undefined;
  for (const other of words) {
    const distance = other[0] === word[0] ? editDistance(word, other, limit) : limit + 1;
    const similar = { word: other, distance };
    if (distance <= limit && isLikely(word, similar) && distance < (best?.distance ?? limit + 1))
      best = similar;
  }
  return best?.word;
}

/** The frequent word of which a rare word of the catalog is probably a misspelling: "vaccum" for "vacuum". */
export function frequentNeighbour(
  statistics: WordStatistics,
  language: Language,
  word: string,
): string | undefined {
  const { dictionary, termOf } = language;
  const term = termOf(word);
  const documents = statistics.documentsWith(term);
  if (!wordPattern.test(word) || word.length < longEnough || documents > fewDocuments) return undefined;
  // Without a dictionary, any rare word would look wrong.
  if (dictionary === noDictionary || dictionary.has(word) || statistics.isOfBrand(term)) return undefined;
  const frequent = nearest(statistics, language, word, 1, timesRarer * documents);
  // Shoppers name things; a rare word beside any other is rather a name.
  const isThing = frequent !== undefined && statistics.timesThing(termOf(frequent)) > timesRarer;
  return isThing && frequent[0] === word[0] ? frequent : undefined;
}

/**
 * The words of the catalog that a word may be a slip of: words of the dictionary, no names. The first letter is rarely wrong,
 * and a word that names a thing to buy is what was meant.
 */
export function slipsOf(
  statistics: WordStatistics,
  { dictionary, thingTerms, termOf }: Language,
  word: string,
): readonly string[] {
  const maySlip = wordPattern.test(word) && word.length >= minLength && !thingTerms.has(termOf(word));
  if (!maySlip || dictionary === noDictionary) return [];
  const isSlip = dictionary.has(word)
    ? (similar: SimilarWord) => isLikely(word, similar)
    : ({ word: other, distance }: SimilarWord) => distance < 2 || consonants(other) === consonants(word);
  return statistics
    .similarWords(word, dictionary.has(word) ? 1 : 2)
    .filter((similar) => similar.word[0] === word[0] && isSlip(similar))
    .map((similar) => similar.word)
    .filter((similar) => dictionary.has(similar));
}

/**
 * The name of a thing of which a word is a slip although the catalog has its stem: "earing" is no form of "ear" that anybody
 * writes, and one letter from "earring".
 */
export function slipOfThing(
  statistics: WordStatistics,
  { dictionary, termOf }: Language,
  word: string,
): string | undefined {
  const term = termOf(word);
  const isForm = term === word || word.length < longEnough || statistics.hasForm(word, "");
  if (isForm || !wordPattern.test(word) || dictionary.has(word)) return undefined;
  const similar = statistics.similarWords(word, 1);
  if (similar.some(({ distance }) => distance === 0)) return undefined;
  const things = similar
    .map(({ word: other }) => ({ other, times: statistics.timesThing(termOf(other)) }))
    .filter(({ other, times }) => times > 0 && other[0] === word[0] && termOf(other) !== term)
    .filter(({ other }) => dictionary.has(other));
  return things.toSorted((a, b) => b.times - a.times || (a.other < b.other ? -1 : 1))[0]?.other;
}

/** The two parts of a word that is also written as two: "showerhead". */
export function halvesOf(
  statistics: WordStatistics,
  language: Language,
  word: string,
): readonly string[] | undefined {
  return wordPattern.test(word) && word.length >= longEnough
    ? splitWord(statistics, language, word)
    : undefined;
}

function nearest(
  statistics: WordStatistics,
  { termOf }: Language,
  word: string,
  limit: number,
  least: number,
): string | undefined {
  let best: { word: string; cost: number; documents: number } | undefined;
  for (const similar of statistics.similarWords(word, limit, least)) {
    if (!isLikely(word, similar)) continue;
    const { word: candidate, distance } = similar;
    const term = termOf(candidate);
    const cost =
      distance +
      (candidate[0] === word[0] ? 0 : firstLetterPenalty) +
      (statistics.timesThing(term) > 0 ? 0 : noThingPenalty);
    const documents = statistics.documentsWith(term);
    const better =
      best === undefined ||
      cost < best.cost ||
      (cost === best.cost &&
        (documents > best.documents || (documents === best.documents && candidate < best.word)));
    if (documents >= least && better) best = { word: candidate, cost, documents };
  }
  return best?.word;
}

function limitOf({ length }: string): number {
  if (length < twoEditsFromLength) return 1;
  return length < threeEditsFromLength ? 2 : 3;
}

/** In a long word three letters may be wrong, if its consonants are the same. */
function isLikely(word: string, { word: candidate, distance }: SimilarWord): boolean {
  if (word.length < fewLetters) return candidate[0] === word[0] && haveSameLetters(word, candidate);
  if (word.length <= fewLetters) return keepsLetters(word, candidate);
  return (
    distance <= 2 ||
    (candidate[0] === word[0] && editDistance(consonants(word), consonants(candidate), 1) <= 1)
  );
}

/** True if all typed letters are correct: one is missing, two are swapped, or one is doubled. */
function keepsLetters(word: string, candidate: string): boolean {
  if (candidate.length > word.length || candidate === word.replace(/(.)\1/u, "$1")) return true;
  return haveSameLetters(word, candidate);
}

function haveSameLetters(one: string, other: string): boolean {
  return [...one].sort().join() === [...other].sort().join();
}

/** The consonants, which are heard best: "rcpctng" of "recepicating". Doubled letters count once. */
function consonants(word: string): string {
  return word.replace(/(.)\1+/gu, "$1").replace(/[aeiouy]/g, "");
}

function splitWord(
  statistics: WordStatistics,
  language: Language,
  word: string,
): readonly string[] | undefined {
  const { termOf, compounds } = language;
  if (compounds !== undefined) return splitCompound(statistics, language, word);
  let best: { words: readonly string[]; documents: number } | undefined;
  for (let i = minPart; i <= word.length - minPart; i++) {
    const least = best?.documents ?? 0;
    const left = termOf(word.slice(0, i));
    const documentsWithLeft = statistics.documentsWith(left);
    if (documentsWithLeft <= least) continue;
    const right = termOf(word.slice(i));
    const documents = Math.min(documentsWithLeft, statistics.documentsWith(right));
    if (documents > least && statistics.adjacency(left, right).adjacent > 0)
      best = { words: [word.slice(0, i), word.slice(i)], documents };
  }
  return best?.words;
}
