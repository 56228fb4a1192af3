import type { Language } from "../language/language.ts";
import { findAbsentThing } from "./absent-thing.ts";
import { applySynonyms } from "./apply-synonyms.ts";
import { withCompounds } from "./compounds.ts";
import { joinWords } from "./join-words.ts";
import type { QueryPlan, ReadWord } from "./query-plan.ts";
import { readTokens } from "./read-tokens.ts";
import { readToken } from "./read-word.ts";
import { relaxationsOf } from "./relax.ts";
import { costOf, findThing } from "./word-roles.ts";
import type { WordStatistics } from "./word-statistics.ts";

/** More words than this are not read: no product text needs them, and the work must stay bounded. */
export const maxWords = 32;

/**
 * The plan of a query: its words as the catalog has them, which of them names the thing, and which words are dropped if no
 * product has them all. It needs only statistics of words, so the plan can be used with any engine.
 */
export function planQuery(statistics: WordStatistics, language: Language, text: string): QueryPlan {
  const tokens = readTokens(text, language).slice(0, maxWords);
  const read = tokens.flatMap((token, i) => readToken(statistics, language, token, i === tokens.length - 1));
  const words = requireSome(
    withCompounds(
      statistics,
      language,
      applySynonyms(statistics, language, joinWords(statistics, language, read)),
    ),
  );
  const thing = findThing(statistics, language, words);
  const planned = words.map(({ isUnit, ...word }, i) => ({
    ...word,
    cost: costOf(language, { isUnit, ...word }, i === thing.place),
  }));
  return {
    language,
    words: planned,
    thing: thing.place,
    absentThing: findAbsentThing(statistics, language, words),
    relaxations: relaxationsOf(planned, thing),
  };
}

/** Function words are required if there are no other words. */
function requireSome(words: readonly ReadWord[]): readonly ReadWord[] {
  if (words.some(({ as }) => as !== "optional" && as !== "unknown")) return words;
  return words.map((word) => (word.as === "optional" ? { ...word, as: "matched" } : word));
}
