import type { Language } from "../language/language.ts";
import type { ReadWord } from "./query-plan.ts";
import type { WordStatistics } from "./word-statistics.ts";

const joinableWord = /^\p{L}{4,}$/u;

/** Adds the compound of two adjacent words if it exists: "showerhead" for "shower head", "tshirt" for "t shirt". */
export function joinWords(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
): ReadWord[] {
  return words.map((word, i) => withJoined(statistics, language, word, words[i - 1], words[i + 1]));
}

function withJoined(
  statistics: WordStatistics,
  { termOf }: Language,
  word: ReadWord,
  before: ReadWord | undefined,
  after: ReadWord | undefined,
): ReadWord {
  if (word.as === "optional" || word.as === "completed") return word;
  const joins = [before && `${before.word}${word.word}`, after && `${word.word}${after.word}`];
  const known = joins.filter(
    (join) => join !== undefined && joinableWord.test(join) && statistics.documentsWith(termOf(join)) > 0,
  );
  if (known.length === 0) return word;
  const alternatives = known.map((join = "") => ({ term: termOf(join), weight: 1 }));
  if (word.as === "matched" || word.as === "split")
    return { ...word, alternatives: [...word.alternatives, ...alternatives] };
  // If only the space is wrong, the written word replaces a guess.
  return { ...word, as: "split", used: known.filter((join) => join !== undefined), alternatives };
}
