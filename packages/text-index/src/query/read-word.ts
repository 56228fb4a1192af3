import { BoundedCache } from "../bounded-cache.ts";
import type { Language } from "../language/language.ts";
import { findGroups, type Group } from "../text/groups.ts";
import { fold, tokenize } from "../text/tokenize.ts";
import { checkTime } from "../time-limit.ts";
import type { Alternative, ReadWord, WordRole, WordStatistics } from "./query-plan.ts";
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

/** The thing that is wanted, as far as the words of the query and the names of the catalog show it. */
export interface WantedThing {
  /** Its index in the query; −1 if no word can be it. */
  readonly place: number;
  /** Names in the catalog use the word for a thing. */
  readonly isSure: boolean;
}

// The share of names with the word in which it is the thing: lamp .65, door .35, shower .01, red .02 on real titles.
export const surelyAThing = 0.5;
export const perhapsAThing = 0.02;
const foldedLetters = /^\p{L}{3,}$/u;
const onlyLetters = /^\p{L}+$/u;

/**
 * The last word before "for", "with" and the like that is not only an attribute, if names use it for a thing at all.
 */
export function findThing(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
): WantedThing {
  const end = endOfThing(language, words);
  const shareAt = (place: number) => thingShare(statistics, words[place]);
  const candidates = words.flatMap((word, i) =>
    i < end && canBeThing(statistics, language, word) ? [i] : [],
  );
  const inOrder = language.names.thingFirst ? candidates : candidates.toReversed();
  const place = inOrder.find((i) => shareAt(i) >= perhapsAThing) ?? inOrder[0] ?? words.findLastIndex(isReal);
  return {
    place,
    isSure: place >= 0 && shareAt(place) >= surelyAThing,
  };
}

/** The end of the words that can name the thing. */
export function endOfThing({ linkingWords }: Language, words: readonly ReadWord[]): number {
  const first = words.findIndex(({ word }) => !linkingWords.has(word));
  const link = words.findIndex(({ word }, i) => i > first && linkingWords.has(word));
  return link < 0 ? words.length : link;
}

/**
 * Whether a word, known or unknown, can name a thing. A word that usually describes, or says little, may still be the thing in
 * this catalog: a light, a glass, a can.
 */
export function canNameThing(
  statistics: WordStatistics,
  { lightWords, attributeWords, functionWords, thingWords }: Language,
  { word, alternatives }: ReadWord,
): boolean {
  const isLight = lightWords.has(word);
  if (functionWords.has(word) || (isLight && !thingWords.has(word))) return false;
  return !(isLight || attributeWords.has(word)) || thingShare(statistics, { alternatives }) >= surelyAThing;
}

function canBeThing(statistics: WordStatistics, language: Language, word: ReadWord): boolean {
  return isReal(word) && canNameThing(statistics, language, word);
}

function isReal({ word, as, isUnit }: ReadWord): boolean {
  return !isUnit && as !== "optional" && as !== "unknown" && foldedLetters.test(word);
}

/** The share of names with the word, or a synonym of it, in which it is the thing. */
export function thingShare(
  statistics: WordStatistics,
  word: Pick<ReadWord, "alternatives"> | undefined,
): number {
  let most = 0;
  for (const alternative of word?.alternatives ?? []) {
    const term = lastTerm(alternative);
    const times = term === undefined ? 0 : statistics.timesThing(term);
    if (term !== undefined && times > 0)
      most = Math.max(most, times / Math.max(1, statistics.timesNamed(term)));
  }
  return most;
}

/** The terms that would be the thing: of several words, the last one. */
export function lastTerms(word: Pick<ReadWord, "alternatives"> | undefined): string[] {
  return (word?.alternatives ?? []).flatMap((alternative) => lastTerm(alternative) ?? []);
}

function lastTerm(alternative: Alternative): string | undefined {
  if ("prefix" in alternative) return undefined;
  return "term" in alternative ? alternative.term : alternative.terms.at(-1);
}

/**
 * What each word says, beside the thing. A text without a sure thing is a name: of its words, only what is surely no part of one
 * may be dropped.
 */
export function rolesOf(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
  thing: WantedThing,
): WordRole[] {
  const end = endOfThing(language, words);
  const namesThing = thing.place >= 0 && thingShare(statistics, words[thing.place]) >= perhapsAThing;
  return words.map((word, place) => {
    if (word.as === "optional") return "none";
    if (place === thing.place) return "thing";
    if (isMeasure(language, word)) return "measure";
    const isBeside = language.names.thingFirst ? place > thing.place : place < Math.min(end, thing.place);
    const isIn = (list: ReadonlySet<string>) => list.has(word.word) || list.has(language.termOf(word.word));
    if (isBeside && isIn(language.definingWords)) return "defining";
    if (isIn(language.useWords)) return "use";
    if (language.attributeWords.has(word.word) || isInCompound(language, words, place)) return "property";
    if (!namesThing) return place < end ? "defining" : "use";
    // "Trampoline net" is no trampoline, even if the catalog has no nets.
    const isDefining =
      isBeside || (word.as === "unknown" && place < end)
        ? !isOfBrand(statistics, word) &&
          (isNoun(statistics, language, word) || arePhrase(statistics, word, words[place + 1]))
        : isBefore(statistics, word, words[thing.place]);
    return isDefining ? "defining" : "use";
  });
}

/** "Gluten" and "free" are one property. */
function isInCompound({ propertyEnds }: Language, words: readonly ReadWord[], place: number): boolean {
  return [words[place], words[place + 1]].some((word) => word !== undefined && propertyEnds.has(word.word));
}

function isMeasure({ lightWords }: Language, { word, isUnit }: ReadWord): boolean {
  return isUnit || lightWords.has(word) || !onlyLetters.test(word) || word.length === 1;
}

/** Whether it can be the name of a thing or of a substance. */
function isNoun(statistics: WordStatistics, { thingTerms, dictionary, termOf }: Language, word: ReadWord) {
  const used = word.used[0] ?? word.word;
  return (
    thingTerms.has(termOf(used)) || dictionary.isNoun(used) || thingShare(statistics, word) >= perhapsAThing
  );
}

function isOfBrand(statistics: WordStatistics, word: ReadWord): boolean {
  return lastTerms(word).some((term) => statistics.isOfBrand(term));
}

/** Two words are a phrase if most names that have both have them next to each other. */
const phraseShare = 0.9;
const phraseNames = 2;

function arePhrase(statistics: WordStatistics, left: ReadWord, right: ReadWord | undefined): boolean {
  const [one, other] = [lastTerms(left)[0], lastTerms(right)[0]];
  if (one === undefined || other === undefined) return false;
  const { names, adjacent } = statistics.adjacency(one, other);
  return adjacent >= phraseNames && adjacent >= phraseShare * names;
}

/** Whether names have the word right before the thing: "food for dogs" is "Dog Food". */
function isBefore(statistics: WordStatistics, word: ReadWord, thing: ReadWord | undefined): boolean {
  const [own, other] = [lastTerms(word)[0], lastTerms(thing)[0]];
  return own !== undefined && other !== undefined && statistics.adjacency(own, other).adjacent > 0;
}
