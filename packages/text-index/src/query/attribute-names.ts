import type { Language } from "../language/language.ts";
import type { ReadWord } from "./query-plan.ts";
import type { QueryToken } from "./read-tokens.ts";
import type { WordStatistics } from "./word-statistics.ts";

/** By the function that lists them: a search over another engine copies the statistics and keeps their functions. */
const namesOfStatistics = new WeakMap<
  WordStatistics["attributeNames"],
  Map<string, ReadonlyMap<string, readonly string[]>>
>();

/**
 * Reads a token that only names the attribute of the value beside it: "size" in "shirt size M", "colour" in "colour: red".
 * Products have the values, but few texts have the names, so a name must not be required. Undefined for any other token.
 */
export function readAttributeName(
  statistics: WordStatistics,
  language: Language,
  tokens: readonly QueryToken[],
  place: number,
): ReadWord | undefined {
  const { kind, typed } = tokens[place] ?? {};
  if (kind !== "word" || typed === undefined || tokens.length < 2) return undefined;
  const term = language.termOf(typed);
  const names = namesByTerm(statistics, language).get(term) ?? [];
  // What products are called is the thing, even if it is an attribute of others.
  if (names.length === 0 || statistics.timesThing(term) > 0) return undefined;
  const beside = [tokens[place - 1], tokens[place + 1]].flatMap((token) => token?.words ?? []);
  if (!names.some((name) => beside.some((word) => statistics.isInValues(name, word)))) return undefined;
  return { word: typed, as: "optional", used: [typed], alternatives: [], isUnit: false };
}

/** The attributes by the terms of their last words: "colour" and "color" are one, and "size" may mean "shoe size". */
function namesByTerm(
  { attributeNames }: WordStatistics,
  { code, termOf }: Language,
): ReadonlyMap<string, readonly string[]> {
  const byLanguage =
    namesOfStatistics.get(attributeNames) ?? new Map<string, ReadonlyMap<string, readonly string[]>>();
  namesOfStatistics.set(attributeNames, byLanguage);
  const names =
    byLanguage.get(code) ??
    Map.groupBy(attributeNames(), (name) => termOf(name.split(/[\s_-]+/u).at(-1) ?? ""));
  byLanguage.set(code, names);
  return names;
}
