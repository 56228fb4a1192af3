import type { Language } from "../language/language.ts";
import { isKnownTerm } from "./compounds.ts";
import type { Alternative, ReadWord } from "./query-plan.ts";
import type { WordStatistics } from "./word-statistics.ts";

// A little less than the word itself.
const synonymWeight = 0.8;

/** Adds to each phrase of the query its synonyms in the catalog: a document needs one of them. */
export function applySynonyms(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
): ReadWord[] {
  const { synonyms, termOf } = language;
  const terms = words.map(({ word, as, used }) => termOf(as === "corrected" ? (used[0] ?? word) : word));
  const applied = [...words];
  for (let at = 0; at < words.length; ) {
    const found = synonyms
      .find(terms, at)
      .map(({ length, targets }) => ({
        length,
        targets: targets
          .map(({ terms: words }) => words)
          .filter((target) => isNamed(statistics, language, target)),
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

/** Whether the catalog has the phrase: its words are adjacent in a name. */
function isNamed(statistics: WordStatistics, language: Language, terms: readonly string[]): boolean {
  const [only = "", second] = terms;
  if (second === undefined) return isKnownTerm(statistics, language, only);
  if (!terms.every((term) => statistics.documentsWith(term) > 0)) return false;
  return terms.every((term, i) => i === 0 || statistics.standSideBySide(terms[i - 1] ?? "", term));
}

function withTargets(word: ReadWord, targets: readonly (readonly string[])[]): ReadWord {
  const alternatives = targets.map(
    ([only = "", ...more]): Alternative =>
      more.length === 0
        ? { term: only, weight: synonymWeight }
        : { terms: [only, ...more], weight: synonymWeight },
  );
  // The prefix is dropped if the meaning of the word is known.
  const own = word.as === "completed" ? [] : word.alternatives;
  const isKnown = word.as !== "unknown" && word.as !== "completed";
  return {
    ...word,
    as: isKnown ? word.as : "matched",
    used: isKnown ? word.used : [word.word],
    alternatives: [...own, ...alternatives],
  };
}
