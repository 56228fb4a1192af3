import { english, type Language } from "../src/language/language.ts";
import type { WordStatistics } from "../src/query/query-plan.ts";
import { nameHeadLength } from "../src/segment/build/collected-documents.ts";
import { editDistance } from "../src/text/edit-distance.ts";
import { groupTerms } from "../src/text/groups.ts";
import { fold, tokenize } from "../src/text/tokenize.ts";

/** Statistics counted from names and descriptions, without an index. */
export function countWords(
  names: readonly string[],
  descriptions: readonly string[] = [],
  language: Language = english,
): WordStatistics {
  const { termOf } = language;
  const wordsOf = names.map((name) => tokenize(name));
  const termsOf = [...names, ...descriptions].map(
    (text) => new Set([...tokenize(text).map(termOf), ...groupTerms(fold(text), termOf)]),
  );
  const vocabulary = new Set([...names, ...descriptions].flatMap((text) => tokenize(text)));
  const heads = names.map((name, i) => headOf(name, wordsOf[i] ?? [], language));
  const count = (items: readonly string[], term: string) => items.filter((item) => item === term).length;
  const longerTerms = (isWanted: (term: string) => boolean) => [
    ...new Set(termsOf.flatMap((terms) => [...terms].filter(isWanted))),
  ];
  return {
    documents: names.length + descriptions.length,
    documentsWith: (term) => termsOf.filter((terms) => terms.has(term)).length,
    timesNamed: (term) => count(wordsOf.flat().map(termOf), term),
    timesThing: (term) => count(heads, term),
    onlyDescribes: (term) => !heads.includes(term),
    beginsWords: (prefix, most) => {
      const begun = [...vocabulary].filter((word) => word.startsWith(prefix));
      return begun.length > 0 && begun.length <= most;
    },
    prefixAddsTerms: (prefix, term) =>
      [...vocabulary].some((word) => word.startsWith(prefix) && termOf(word) !== term),
    similarWords: (word, limit) =>
      [...vocabulary]
        .map((other) => ({ word: other, distance: editDistance(word, other, limit) }))
        .filter(({ distance }) => distance <= limit),
    termsEndingWith: (term) => longerTerms((other) => other.endsWith(term) && other !== term),
    termsBeginningWith: (term) => longerTerms((other) => other.startsWith(term) && other !== term),
    wordsEndingWith: (ending) => [...vocabulary].filter((word) => word.endsWith(ending) && word !== ending),
    hasForm: (word) => vocabulary.has(word),
    namesLevel: () => false,
    longestLevel: () => 0,
    isOfBrand: () => false,
    attributeNames: () => [],
    isInValues: () => false,
    adjacency: (left, right) => {
      const names = wordsOf
        .map((words) => words.map(termOf))
        .filter((terms) => terms.includes(left) && terms.includes(right));
      const adjacent = names.filter((terms) =>
        terms.some((term, i) => term === left && terms[i + 1] === right),
      );
      return { names: names.length, adjacent: adjacent.length };
    },
  };
}

function headOf(name: string, words: readonly string[], language: Language): string {
  return language.termOf(words[nameHeadLength(name, words.length, language) - 1] ?? "");
}
