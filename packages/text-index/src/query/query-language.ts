import type { Language, Languages } from "../language/language.ts";
import { languageTag } from "../language/language-tags.ts";
import { fold } from "../text/fold.ts";
import { tokenize } from "../text/tokenize.ts";
import { compoundsOf, headOfCompound } from "./compounds.ts";
import { planQuery } from "./plan-query.ts";
import type { Alternative, PlannedWord, QueryPlan, WordStatistics } from "./query-plan.ts";

// A word as another language writes it: below the same word in the language of the query.
const otherLanguageWeight = 0.8;
const letters = /^\p{L}+$/u;

/**
 * The plan of a query for a catalog in several languages. The query is read in the language that most of its words have in
 * the catalog; its words also match in the other languages.
 */
export function planInLanguages(statistics: WordStatistics, languages: Languages, text: string): QueryPlan {
  const [first, ...more] = languages;
  if (more.length === 0) return planQuery(statistics, first, text);
  const chosen = languageOfQuery(statistics, languages, text);
  const plan = planQuery(statistics, withTermsOf(statistics, languages, chosen), text);
  return { ...plan, words: plan.words.map((word) => inAllLanguages(statistics, languages, word)) };
}

const withTerms = new WeakMap<WordStatistics, Map<Language, Language>>();

/** A language that reads each word as the term that the catalog has, with the words of all: one object, as readings are kept by language. */
function withTermsOf(statistics: WordStatistics, languages: Languages, chosen: Language): Language {
  const known = withTerms.get(statistics) ?? new Map<Language, Language>();
  const termOf = (word: string) => termInCatalog(statistics, [chosen, ...languages], word);
  const isOrdinaryWord = (word: string) =>
    languages.some((language) => language.dictionary.has(word) || language.isOrdinaryWord?.(word));
  const language = known.get(chosen) ?? { ...chosen, termOf, isOrdinaryWord };
  withTerms.set(statistics, known.set(chosen, language));
  return language;
}

/** The term of a word in the first language in which the catalog has it; in the first of all if it has none. */
export function termInCatalog(
  statistics: WordStatistics,
  [first, ...others]: Languages,
  word: string,
): string {
  const term = first.termOf(word);
  if (others.length === 0 || statistics.documentsWith(term) > 0) return term;
  const known = others.find((other) => statistics.documentsWith(other.termOf(word)) > 0);
  return known?.termOf(word) ?? term;
}

/** The language that has most words of the query, in the catalog or in its lists; of several, the first. */
export function languageOfQuery(statistics: WordStatistics, languages: Languages, text: string): Language {
  const words = [...new Set(tokenize(text, "query"))].filter((word) => letters.test(word));
  const votes = languages.map((language): number => (language.letters.test(text.toLowerCase()) ? 1 : 0));
  for (const word of words) {
    const having = languages.flatMap((language, i) =>
      isOfLanguage(language, word) ||
      statistics.hasForm(word, languageTag(languages, language)) ||
      headOfCompound(statistics, language, word) !== undefined ||
      language.synonyms.has(language.termOf(word))
        ? [i]
        : [],
    );
    for (const i of having) votes[i] = (votes[i] ?? 0) + 1 / having.length;
  }
  return languages[votes.indexOf(Math.max(...votes))] ?? languages[0];
}

/** The language of a text without a catalog to compare with; undefined if nothing tells it. */
export function detectLanguage(languages: readonly Language[], text: string): Language | undefined {
  const words = new Set(tokenize(text, "query"));
  const lower = text.toLowerCase();
  let best: { language: Language; votes: number } | undefined;
  for (const language of languages) {
    let votes: number = language.letters.test(lower) ? 1 : 0;
    // Single letters are sizes as well.
    for (const word of words) if (word.length > 1 && isOfLanguage(language, word)) votes++;
    if (votes > (best?.votes ?? 0)) best = { language, votes };
  }
  return best?.language;
}

function isOfLanguage(language: Language, word: string): boolean {
  const { functionWords, attributeWords, lightWords, thingWords } = language;
  return functionWords.has(word) || attributeWords.has(word) || lightWords.has(word) || thingWords.has(word);
}

function inAllLanguages(
  statistics: WordStatistics,
  languages: readonly Language[],
  word: PlannedWord,
): PlannedWord {
  const [used = word.word] = word.used;
  if (word.as === "completed" || !letters.test(used)) return word;
  const known = new Set(word.alternatives.flatMap((way) => ("term" in way ? way.term : [])));
  if (word.as === "unknown") return word;
  const added = new Map<string, Alternative>();
  for (const language of languages) {
    const own = { term: language.termOf(fold(used)), weight: 1 };
    for (const way of [own, ...compoundsOf(statistics, language, own.term)])
      if ("term" in way && !known.has(way.term) && statistics.documentsWith(way.term) > 0)
        added.set(way.term, { term: way.term, weight: way.weight * otherLanguageWeight });
  }
  return added.size === 0 ? word : { ...word, alternatives: [...word.alternatives, ...added.values()] };
}

/** How documents can have each word of a filter's text: in any language, or as a part of a compound. */
export function waysOfText(statistics: WordStatistics, languages: Languages, text: string): Alternative[][] {
  return tokenize(text, "query").map((word) =>
    [...new Set(languages.map(({ termOf }) => termOf(word)))].flatMap((term) => [
      { term, weight: 1 },
      ...languages.flatMap((language) => compoundsOf(statistics, language, term)),
    ]),
  );
}
