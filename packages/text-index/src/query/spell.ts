import type { Dictionary } from "../language/dictionary.ts";
import type { Language } from "../language/language.ts";
import { editDistance } from "../text/edit-distance.ts";
import { termOf } from "../text/term.ts";
import type { SimilarWord, WordStatistics } from "./word-statistics.ts";

/** What an unknown word probably means. */
export interface Spelling {
  readonly as: "corrected" | "split";
  readonly words: readonly string[];
}

const WORD = /^[\p{L}\p{M}]+$/u;
const MIN_LENGTH = 4;
const TWO_EDITS_FROM_LENGTH = 7;
const THREE_EDITS_FROM_LENGTH = 9;
// In so few letters most changes make another word that was not meant (tent, ten; nike, nine).
const FEW_LETTERS = 4;
const LONG_ENOUGH = 6;
// A word beside a neighbour that so many times more documents have may be the shop's own slip.
const TIMES_RARER = 50;
const MIN_PART = 3;
// Slips of the first letter are rare: such a neighbour counts as half an edit further away.
const FIRST_LETTER_PENALTY = 0.5;

/**
 * The nearest known word, or two known words that stand side by side in a name. Numbers are never guessed at, and a word
 * of the dictionary is never taken for another: a flight is no light.
 */
export function spell(
  statistics: WordStatistics,
  { dictionary, synonyms }: Language,
  word: string,
): Spelling | undefined {
  if (!WORD.test(word) || word.length < MIN_LENGTH) return undefined;
  const split = splitWord(statistics, word);
  if (split !== undefined) return { as: "split", words: split };
  if (dictionary.has(word)) return undefined;
  const corrected = nearest(statistics, word, limitOf(word), 1) ?? nearestOf(synonyms.words, word);
  return corrected === undefined ? undefined : { as: "corrected", words: [corrected] };
}

/** The catalog may call a bicycle a bike: its other name may be misspelt, too. */
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

/** The frequent word that a rare one of the catalog is probably a slip of: "vaccum" where all others say vacuum. */
export function frequentNeighbour(
  statistics: WordStatistics,
  dictionary: Dictionary,
  word: string,
): string | undefined {
  if (!WORD.test(word) || word.length < LONG_ENOUGH || dictionary.has(word)) return undefined;
  const enough = TIMES_RARER * statistics.documentsWith(termOf(word));
  return enough > statistics.documents ? undefined : nearest(statistics, word, 1, enough);
}

/** The halves of a word that is also written as two: "showerhead". */
export function halvesOf(statistics: WordStatistics, word: string): readonly string[] | undefined {
  return WORD.test(word) && word.length >= LONG_ENOUGH ? splitWord(statistics, word) : undefined;
}

function nearest(statistics: WordStatistics, word: string, limit: number, least: number): string | undefined {
  let best: { word: string; cost: number; documents: number } | undefined;
  for (const similar of statistics.similarWords(word, limit)) {
    if (!isLikely(word, similar)) continue;
    const { word: candidate, distance } = similar;
    const cost = distance + (candidate[0] === word[0] ? 0 : FIRST_LETTER_PENALTY);
    const documents = statistics.documentsWith(termOf(candidate));
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
  if (length < TWO_EDITS_FROM_LENGTH) return 1;
  return length < THREE_EDITS_FROM_LENGTH ? 2 : 3;
}

/** Of a long word three letters may be wrong, when its consonants are still those of the other. */
function isLikely(word: string, { word: candidate, distance }: SimilarWord): boolean {
  if (word.length <= FEW_LETTERS) return keepsLetters(word, candidate);
  return (
    distance <= 2 ||
    (candidate[0] === word[0] && editDistance(consonants(word), consonants(candidate), 1) <= 1)
  );
}

/** True when all letters that were typed are meant: one was left out, two were swapped, or one was typed twice. */
function keepsLetters(word: string, candidate: string): boolean {
  if (candidate.length > word.length || candidate === word.replace(/(.)\1/u, "$1")) return true;
  return [...candidate].sort().join() === [...word].sort().join();
}

/** What is heard most: "rcpctng" of "recepicating". Doubled letters are one. */
function consonants(word: string): string {
  return word.replace(/(.)\1+/gu, "$1").replace(/[aeiouy]/g, "");
}

function splitWord(statistics: WordStatistics, word: string): readonly string[] | undefined {
  let best: { words: readonly string[]; documents: number } | undefined;
  for (let i = MIN_PART; i <= word.length - MIN_PART; i++) {
    const parts = [word.slice(0, i), word.slice(i)] as const;
    const [left, right] = [termOf(parts[0]), termOf(parts[1])];
    const documents = Math.min(statistics.documentsWith(left), statistics.documentsWith(right));
    if (documents > (best?.documents ?? 0) && statistics.standSideBySide(left, right))
      best = { words: parts, documents };
  }
  return best?.words;
}
