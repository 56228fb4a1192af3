import { termOf } from "../text/term.ts";
import type { ReadWord } from "./read-word.ts";
import type { WordStatistics } from "./word-statistics.ts";

const JOINED = /^\p{L}{4,}$/u;

/** Two words in a row also stand for their compound where that is one: "shower head" for "showerhead", "t shirt" for "tshirt". */
export function joinWords(statistics: WordStatistics, words: readonly ReadWord[]): ReadWord[] {
  return words.map((word, i) => withJoined(statistics, word, words[i - 1], words[i + 1]));
}

function withJoined(
  statistics: WordStatistics,
  word: ReadWord,
  before: ReadWord | undefined,
  after: ReadWord | undefined,
): ReadWord {
  if (word.as === "optional" || word.as === "completed") return word;
  const joins = [before && `${before.word}${word.word}`, after && `${word.word}${after.word}`];
  const known = joins.filter(
    (join) => join !== undefined && JOINED.test(join) && statistics.documentsWith(termOf(join)) > 0,
  );
  if (known.length === 0) return word;
  const alternatives = known.map((join = "") => ({ term: termOf(join), weight: 1 }));
  if (word.as === "matched" || word.as === "split")
    return { ...word, alternatives: [...word.alternatives, ...alternatives] };
  // What was only guessed at gives way to what is written, if for the space.
  return { ...word, as: "split", used: known.filter((join) => join !== undefined), alternatives };
}
