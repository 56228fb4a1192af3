import type { SynonymTable } from "../language/synonyms.ts";
import { termOf } from "../text/term.ts";
import type { Alternative } from "./query-plan.ts";
import type { ReadWord } from "./read-word.ts";
import type { WordStatistics } from "./word-statistics.ts";

// Somewhat less than the word itself.
const SYNONYM_WEIGHT = 0.8;

/** Each word of a phrase that has synonyms in the catalog also stands for these: a document needs either. */
export function applySynonyms(
  statistics: WordStatistics,
  synonyms: SynonymTable,
  words: readonly ReadWord[],
): ReadWord[] {
  const terms = words.map(({ word, as, used }) => termOf(as === "corrected" ? (used[0] ?? word) : word));
  const applied = [...words];
  for (let at = 0; at < words.length; ) {
    const found = synonyms
      .find(terms, at)
      .map(({ length, targets }) => ({
        length,
        targets: targets.map(({ terms }) => terms).filter((target) => isNamed(statistics, target)),
      }))
      .find(({ targets }) => targets.length > 0);
    for (let i = at; found !== undefined && i < at + found.length; i++) {
      const word = applied[i];
      if (word !== undefined) applied[i] = withTargets(word, found.targets);
    }
    at += found?.length ?? 1;
  }
  return applied;
}

/** Whether the catalog uses the phrase: its words stand side by side in a name. */
function isNamed(statistics: WordStatistics, terms: readonly string[]): boolean {
  if (!terms.every((term) => statistics.documentsWith(term) > 0)) return false;
  return terms.every((term, i) => i === 0 || statistics.standSideBySide(terms[i - 1] ?? "", term));
}

function withTargets(word: ReadWord, targets: readonly (readonly string[])[]): ReadWord {
  const alternatives = targets.map(
    ([only = "", ...more]): Alternative =>
      more.length === 0
        ? { term: only, weight: SYNONYM_WEIGHT }
        : { terms: [only, ...more], weight: SYNONYM_WEIGHT },
  );
  // A beginning gives way to a word that is known to be meant.
  const own = word.as === "completed" ? [] : word.alternatives;
  const isKnown = word.as !== "unknown" && word.as !== "completed";
  return {
    ...word,
    as: isKnown ? word.as : "matched",
    used: isKnown ? word.used : [word.word],
    alternatives: [...own, ...alternatives],
  };
}
