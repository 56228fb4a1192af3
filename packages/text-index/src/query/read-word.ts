import { BoundedCache } from "../bounded-cache.ts";
import type { Language } from "../language/language.ts";
import { findGroups, type Group } from "../text/groups.ts";
import { fold, tokenize } from "../text/tokenize.ts";
import { checkTime } from "../time-limit.ts";
import type { Alternative, ReadWord, WordStatistics } from "./query-plan.ts";
import { frequentNeighbour, halvesOf, isKnownTerm, type Spelling, slipOfThing, spell } from "./spell.ts";

const minPrefixLength = 2;
/**
 * A beginning of more words than this says nothing: 40 may begin the numbers of 200,000 products. Completing it took
 * 195 ms here, and made a list that OpenSearch cuts at 65,536 terms. English words stay far below: "co" begins 1,684 of
 * 48,000. Only the most frequent ones would not help: they must be counted first, and each number is in one product.
 */
export const maxCompletions = 10_000;
// "shower head" for "showerhead".
const halvesWeight = 0.9;
export const completionWeight = 0.8;
// Products that have the misspelt word of the query.
const misspeltWeight = 0.8;
// A size or code whose parts are all present, but not as one: the numbers of "2 x 4" anywhere in a name.
const scatteredWeight = 0.5;
// The number of an amount without its unit.
const bareNumberWeight = 0.6;

/** What a token of the query can match: itself, a correction, two words, or longer words that it begins. */
export function readToken(
  statistics: WordStatistics,
  language: Language,
  tokens: readonly QueryToken[],
  place: number,
): ReadWord[] {
  checkTime();
  const token = tokens[place];
  if (token === undefined) return [];
  if (token.kind === "word") {
    const isFunctionWord = tokens.length > 1 && language.functionWords.has(token.typed);
    if (isFunctionWord) return [readFunctionWord(statistics, language, token.typed)];
    return readWord(statistics, language, token.typed, place === tokens.length - 1);
  }
  if (token.kind === "unit")
    return readWord(statistics, language, token.typed, false).map((word) =>
      readUnit(statistics, word, token),
    );
  return [readGroup(statistics, language, token)];
}

/** A document that has the amount in another unit has the unit as well: 1.7 l is 1700 ml. */
function readUnit(statistics: WordStatistics, word: ReadWord, { groupTerms }: QueryToken): ReadWord {
  const amounts = groupTerms
    .filter((term) => statistics.documentsWith(term) > 0)
    .map((term): Alternative => ({ term, weight: 1 }));
  if (amounts.length === 0) return { ...word, isUnit: true };
  const isRead = word.as === "matched" || word.as === "optional";
  return {
    word: word.word,
    as: isRead ? word.as : "matched",
    used: isRead ? word.used : [word.word],
    alternatives: [...(isRead ? word.alternatives : []), ...amounts],
    isUnit: true,
  };
}

function readGroup(
  statistics: WordStatistics,
  { termOf }: Language,
  { typed, words, groupTerms, kind }: QueryToken,
): ReadWord {
  const terms = [...new Set(words.map(termOf))];
  const exact = kind === "amount" ? groupTerms : groupTerms.slice(0, 1);
  const alternatives: Alternative[] = exact
    .filter((term) => statistics.documentsWith(term) > 0)
    .map((term) => ({ term, weight: 1 }));
  if (terms.every((term) => statistics.documentsWith(term) > 0)) {
    const [only = "", second] = terms;
    const weight = kind === "amount" ? bareNumberWeight : scatteredWeight;
    alternatives.push(second === undefined ? { term: only, weight } : { terms, weight });
  }
  const isKnown = alternatives.length > 0;
  return {
    word: typed,
    as: isKnown ? "matched" : "unknown",
    used: isKnown ? [typed] : [],
    alternatives,
    isUnit: false,
  };
}

/** It ranks the documents that have it. Beside other words it is never corrected, even if no document has it. */
function readFunctionWord(statistics: WordStatistics, language: Language, word: string): ReadWord {
  const term = language.termOf(word);
  const alternatives = isKnownTerm(statistics, language, term) ? [{ term, weight: 1 }] : [];
  return { word, as: "optional", used: [word], alternatives, isUnit: false };
}

/** How words are read that are not the last of a query, and those that are. */
type Readings = readonly [BoundedCache<string, ReadWord[]>, BoundedCache<string, ReadWord[]>];
const readingsOf = new WeakMap<WordStatistics, WeakMap<Language, Readings>>();
const keptReadings = 8_000;

/** Shoppers use the same few thousand words, and statistics never change: each word is read once. */
function readWord(statistics: WordStatistics, language: Language, word: string, isLast: boolean): ReadWord[] {
  const byLanguage = readingsOf.get(statistics) ?? new WeakMap<Language, Readings>();
  const readings =
    byLanguage.get(language) ?? ([new BoundedCache(keptReadings), new BoundedCache(keptReadings)] as const);
  readingsOf.set(statistics, byLanguage.set(language, readings));
  return readings[isLast ? 1 : 0].get(word, () => readNewWord(statistics, language, word, isLast));
}

function readNewWord(
  statistics: WordStatistics,
  language: Language,
  word: string,
  isLast: boolean,
): ReadWord[] {
  const { termOf } = language;
  const term = termOf(word);
  if (isKnownTerm(statistics, language, term)) {
    const slip = slipOfThing(statistics, language, word);
    if (slip !== undefined) return fromSpelling(language, word, { as: "corrected", words: [slip] });
    const frequent = frequentNeighbour(statistics, language, word);
    if (frequent !== undefined) {
      const alternatives = [
        { term: termOf(frequent), weight: 1 },
        { term, weight: misspeltWeight },
      ];
      return [{ word, as: "corrected", used: [frequent], alternatives, isUnit: false }];
    }
    const halves = halvesOf(statistics, language, word);
    const alternatives: Alternative[] = [{ term, weight: 1 }];
    if (halves !== undefined) alternatives.push({ terms: halves.map(termOf), weight: halvesWeight });
    return [{ word, as: "matched", used: [word], alternatives, isUnit: false }];
  }
  if (language.synonyms.has(term) || language.nearSynonyms.has(term))
    return fromSpelling(language, word, undefined);
  if (isLast && canBeBeginning(statistics, language, word)) {
    const alternatives = [{ prefix: word, weight: completionWeight }];
    return [{ word, as: "completed", used: [`${word}…`], alternatives, isUnit: false }];
  }
  return fromSpelling(language, word, spell(statistics, language, word));
}

/** "lam" may be the beginning of "lamp". "pen" is not that of "pendant", because it names a thing itself. */
function canBeBeginning(statistics: WordStatistics, { thingTerms, termOf }: Language, word: string): boolean {
  return !thingTerms.has(termOf(word)) && beginsFewWords(statistics, word);
}

export function beginsFewWords(statistics: WordStatistics, word: string): boolean {
  return word.length >= minPrefixLength && statistics.beginsWords(word, maxCompletions);
}

function fromSpelling(
  { termOf, functionWords }: Language,
  word: string,
  spelling: Spelling | undefined,
): ReadWord[] {
  if (spelling === undefined) return [{ word, as: "unknown", used: [], alternatives: [], isUnit: false }];
  return spelling.words.map((used) => ({
    word,
    as: functionWords.has(used) ? "optional" : spelling.as,
    used: [used],
    alternatives: [{ term: termOf(used), weight: 1 }],
    isUnit: false,
  }));
}

/** A unit of a query that is searched for as one: a word, or a group of words with one meaning ("2 x 4"). */
export interface QueryToken {
  /** As typed, folded. */
  readonly typed: string;
  /** Its words: one, except in groups. */
  readonly words: readonly string[];
  /** The terms of the whole group in documents, also of a unit; empty for single words. */
  readonly groupTerms: readonly string[];
  readonly kind: "word" | "unit" | Group["kind"];
}

/** The different tokens of a query. */
export function readTokens(
  text: string,
  { prepare, termOf }: Pick<Language, "prepare" | "termOf">,
): QueryToken[] {
  const folded = fold(prepare?.(text) ?? text);
  const tokens: QueryToken[] = [];
  let last = 0;
  for (const group of findGroups(folded, termOf)) {
    // The parts of a hyphenated word are found separately and joined, like any two adjacent words.
    if (group.kind === "hyphenated") continue;
    tokens.push(...plainTokens(folded.slice(last, group.start), "word"), ...groupTokens(folded, group));
    last = group.end;
  }
  tokens.push(...plainTokens(folded.slice(last), "word"));
  return [...new Map(tokens.map((token) => [token.typed, token])).values()];
}

function plainTokens(text: string, kind: "word" | "unit", groupTerms: readonly string[] = []): QueryToken[] {
  return tokenize(text, "query").map((word) => ({ typed: word, words: [word], groupTerms, kind }));
}

/** An amount is split into number and unit: a document with only the number is better than none. */
function groupTokens(folded: string, { kind, start, end, unitStart, terms }: Group): QueryToken[] {
  const typed = folded.slice(start, unitStart).trim();
  const words = tokenize(typed, "query");
  // The inch sign is a word only after its number.
  const unit = tokenize(folded.slice(start, end), "query").slice(words.length).join(" ");
  return [{ typed, words, groupTerms: terms, kind }, ...plainTokens(unit, "unit", terms)];
}
