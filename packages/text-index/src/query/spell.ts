import { noDictionary } from "../language/dictionary.ts";
import type { Language } from "../language/language.ts";
import { editDistance } from "../search/word-neighbours.ts";
import { isLevelTerm } from "../text/tokenize.ts";
import type { Alternative, ReadWord, SimilarWord, WordStatistics } from "./query-plan.ts";

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

const shortestPart = 3;
// "Schreibtischlampe" is a lamp, and about desks.
const headWeight = 0.9;
export const firstPartWeight = 0.6;
/** More compounds than this of one word add nothing to the best hits. */
const maxCompounds = 256;
const longPart = 4;
const longForm = 5;
// The stem of a compound may be shorter than that of its head: "Schere" is "scher", but "Gartenschere" is "gartensch".
const anyFirstPart = "gartenzaun";
const inflections = ["", "e", "n", "en", "er", "ern", "s", "es"];
const noRules = { doubtfulHeads: new Set<string>(), opaque: [] as const };
const letters = /^\p{L}+$/u;

/**
 * Adds to each word the compounds of the catalog that contain it: a document with "Schreibtischlampe" has both "Lampe" and
 * "Schreibtisch". The rest of a compound must be a word that the catalog or the language has: "elastisch" has no "Tisch".
 */
export function withCompounds(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
): readonly ReadWord[] {
  if (language.compounds === undefined) return words;
  return words.map((word) => {
    if (word.isUnit || word.as === "optional" || word.as === "unknown") return word;
    const known = new Set(word.alternatives.flatMap((way) => ("term" in way ? way.term : [])));
    const compounds = [...known].flatMap((term) => compoundsOf(statistics, language, term));
    const added = compounds.filter((way) => !("term" in way && known.has(way.term)));
    return added.length === 0 ? word : { ...word, alternatives: [...word.alternatives, ...added] };
  });
}

/** Whether the catalog has a term, alone or in compounds. */
export function isKnownTerm(statistics: WordStatistics, language: Language, term: string): boolean {
  return statistics.documentsWith(term) > 0 || compoundsOf(statistics, language, term).length > 0;
}

/** The compounds of a term as ways to match it. */
export function compoundsOf(
  statistics: WordStatistics,
  language: Language,
  term: string,
): readonly Alternative[] {
  if (language.compounds === undefined || term.length < shortestPart || !letters.test(term)) return [];
  const ofStem = statistics
    .termsEndingWith(term)
    .filter((compound) => isHead(statistics, language, { compound, term, part: term }, longPart));
  const longEnough = language.thingTerms.has(term) ? longPart : longForm;
  const ofForms = formsOf(language, term).flatMap((part) =>
    statistics
      .wordsEndingWith(part)
      .filter((compound) => isHead(statistics, language, { compound, term, part }, longEnough))
      .map(language.termOf),
  );
  const heads = [...new Set([...ofStem, ...ofForms])].map((compound) => ({
    term: compound,
    weight: headWeight,
  }));
  const firstParts = statistics
    .termsBeginningWith(term)
    .filter((compound) => hasHead(statistics, language, compound.slice(term.length)))
    .map((compound) => ({ term: compound, weight: firstPartWeight }));
  return [...heads, ...firstParts].slice(0, maxCompounds);
}

/** The forms of a word by which its compounds are found, if not all of them end with its stem, or if that is short. */
function formsOf({ termOf }: Language, term: string): string[] {
  const ofCompound = (form: string) => termOf(anyFirstPart + form).slice(anyFirstPart.length);
  return inflections
    .map((ending) => term + ending)
    .filter((form) => termOf(form) === term && (term.length < longPart || ofCompound(form) !== term));
}

interface Head {
  /** A term or a word of the catalog. */
  readonly compound: string;
  readonly term: string;
  /** With what the compound ends: the term, or a word with it. */
  readonly part: string;
}

/** An unknown first part is accepted if both parts are long: the catalog may have "Abend" in no other word. */
function isHead(
  statistics: WordStatistics,
  language: Language,
  { compound, term, part }: Head,
  longEnough: number,
): boolean {
  if (isLevelTerm(compound)) return false;
  const { doubtfulHeads, opaque } = language.compounds ?? noRules;
  if (opaque.some((other) => compound.includes(other) && other.length > term.length)) return false;
  const first = compound.slice(0, -part.length);
  if (firstPartOf(statistics, language, first) !== undefined) return true;
  const areLong = part.length >= longEnough && first.length >= longPart;
  return areLong && !doubtfulHeads.has(term) && /[aeiouy]/.test(first);
}

function hasHead(statistics: WordStatistics, { compounds, thingTerms }: Language, rest: string): boolean {
  return (compounds?.links ?? [])
    .filter((link) => rest.startsWith(link) && rest.length - link.length >= shortestPart)
    .map((link) => rest.slice(link.length))
    .some((head) => thingTerms.has(head) || statistics.documentsWith(head) > 0);
}

/** The first part of a compound as a word, without the letters that link it to the second one. */
function firstPartOf(statistics: WordStatistics, language: Language, text: string): string | undefined {
  const { compounds } = language;
  return (compounds?.links ?? [])
    .filter((link) => text.endsWith(link))
    .map((link) => text.slice(0, text.length - link.length))
    .find((part) => part.length >= shortestPart && isWord(statistics, language, part));
}

function isWord(statistics: WordStatistics, language: Language, part: string): boolean {
  const { compounds, termOf, functionWords, attributeWords, thingTerms } = language;
  if (functionWords.has(part)) return false;
  if (compounds?.firstParts.has(part) || attributeWords.has(part)) return true;
  return thingTerms.has(termOf(part)) || statistics.documentsWith(termOf(part)) > 0;
}

/** The two parts of a compound, if the catalog has both. */
function splitCompound(
  statistics: WordStatistics,
  language: Language,
  word: string,
): readonly string[] | undefined {
  const both = partsOf(statistics, language, word).find(({ first }) =>
    isKnownTerm(statistics, language, language.termOf(first)),
  );
  return both && [both.first, both.head];
}

/** What a compound is, if the catalog has that and the first part is at least a word of the language: "Steh" + "Lampe". */
export function headOfCompound(
  statistics: WordStatistics,
  language: Language,
  word: string,
): string | undefined {
  if (language.compounds === undefined) return undefined;
  return partsOf(statistics, language, word)[0]?.head;
}

/** With the longest head first. */
function partsOf(
  statistics: WordStatistics,
  language: Language,
  word: string,
): { first: string; head: string }[] {
  const parts: { first: string; head: string }[] = [];
  for (let at = shortestPart; at <= word.length - shortestPart; at++) {
    const head = word.slice(at);
    if (language.functionWords.has(head) || !isKnownTerm(statistics, language, language.termOf(head)))
      continue;
    const first = firstPartOf(statistics, language, word.slice(0, at));
    if (first !== undefined) parts.push({ first, head });
  }
  return parts;
}
