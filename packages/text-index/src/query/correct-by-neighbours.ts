import type { Language } from "../language/language.ts";
import type { ReadWord } from "./query-plan.ts";
import { slipsOf } from "./spell.ts";
import type { WordStatistics } from "./word-statistics.ts";

/**
 * Corrects words that the catalog does not have although they are written correctly: "running shoos". Such a word may name
 * what the shop lacks, so it is only replaced if names have the other word together with the same neighbour.
 */
export function correctByNeighbours(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
): readonly ReadWord[] {
  return words.map((word, i) => {
    if (word.as !== "unknown") return word;
    const [before, after] = [words[i - 1], words[i + 1]].map((other) => other && termBeside(language, other));
    let best: { slip: string; names: number } | undefined;
    for (const slip of slipsOf(statistics, language, word.word)) {
      const term = language.termOf(slip);
      const names =
        (before === undefined ? 0 : statistics.adjacency(before, term).names) +
        (after === undefined ? 0 : statistics.adjacency(term, after).names);
      if (names > (best?.names ?? 0)) best = { slip, names };
    }
    if (best === undefined) return word;
    const { slip } = best;
    const alternatives = [{ term: language.termOf(slip), weight: 1 }];
    return { ...word, as: "corrected", used: [slip], alternatives };
  });
}

/** The term of a neighbour that says something: no function word, and none that is itself unknown. */
function termBeside({ termOf }: Language, { as, word, used }: ReadWord): string | undefined {
  return as === "matched" || as === "corrected" ? termOf(used[0] ?? word) : undefined;
}
