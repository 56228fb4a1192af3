import { type Language, type Languages, languageTag } from "../language/language.ts";
import type { SynonymTable } from "../language/synonyms.ts";
import { fold, isLevelTerm, levelTermOf, termOf, tokenize } from "../text/tokenize.ts";
import type {
  AbsentThing,
  Alternative,
  PlannedWord,
  QueryPlan,
  ReadWord,
  WordStatistics,
} from "./query-plan.ts";
import {
  canNameThing,
  endOfThing,
  findThing,
  lastTerms,
  type QueryToken,
  readToken,
  readTokens,
  rolesOf,
  thingShare,
} from "./read-word.ts";
import { compoundsOf, headOfCompound, isKnownTerm, slipsOf, withCompounds } from "./spell.ts";

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

const joinableWord = /^\p{L}{4,}$/u;

// A little less than the word itself.
const synonymWeight = 0.8;

const foldedLetters = /^\p{L}{2,}$/u;

/** More words than this are not read: no product text needs them, and the work must stay bounded. */
export const maxWords = 32;

/**
 * The plan of a query: its words as the catalog has them, which of them names the thing, and what the others say. It needs only statistics of words, so the plan can be used with any engine.
 */
export function planQuery(statistics: WordStatistics, language: Language, text: string): QueryPlan {
  const typed = readTokens(text, language);
  const tokens = typed.slice(0, maxWords);
  const read = tokens.flatMap(
    (_, i) =>
      readAttributeName(statistics, language, tokens, i) ?? readToken(statistics, language, tokens, i),
  );
  const joined = joinWords(statistics, language, read);
  const named = nameLevels(statistics, language, joined);
  const meant = applySynonyms(statistics, language, named, language.synonyms, () => true);
  const near = applySynonyms(statistics, language, meant, language.nearSynonyms, (phrase) =>
    phrase.every((word) => lastTerms(word).every((term) => statistics.timesNamed(term) === 0)),
  );
  const known = withCompounds(statistics, language, near);
  const words = requireSome(correctByNeighbours(statistics, language, known));
  const thing = findThing(statistics, language, words);
  const leftOut = leftOutOf(statistics, words, thing.place);
  const planned = words.map(({ word, as, used, alternatives }, i): PlannedWord => {
    if (leftOut.has(i)) return unread(word, as);
    const isRequired = as !== "optional" && as !== "unknown";
    return { word, as, used, alternatives, isRequired };
  });
  planned.push(...typed.slice(maxWords).map((token) => unread(token.typed)));
  return {
    language,
    words: planned,
    thing: thing.place,
    isThingSure: thing.isSure,
    roles: () =>
      rolesOf(statistics, language, words, thing).map((role, i) => (leftOut.has(i) ? "none" : role)),
    findAbsentThing: () => findAbsentThing(statistics, language, words),
  };
}

/** A word that is not searched for. It is reported as one that the catalog does not have, unless it would not be required. */
function unread(word: string, as: ReadWord["as"] = "unknown"): PlannedWord {
  return {
    word,
    as: as === "optional" ? as : "unknown",
    used: [],
    alternatives: [],
    isRequired: false,
  };
}

/**
 * Function words are required if there are no other words: the title of a film, a band. Those that the catalog does not have
 * are only unknown if it has none of them.
 */
function requireSome(words: readonly ReadWord[]): readonly ReadWord[] {
  if (words.some(({ as }) => as !== "optional")) return words;
  const isKnown = ({ alternatives }: ReadWord) => alternatives.length > 0;
  if (words.some(isKnown)) return words.map((word) => (isKnown(word) ? { ...word, as: "matched" } : word));
  return words.map((word) => ({ ...word, as: "unknown", used: [] }));
}

/**
 * The thing that a query asks for, if the catalog has no such thing: its products may have the other words, or this word
 * only as a description (a backpack with room for a laptop). Undefined if the catalog may have one.
 */
function findAbsentThing(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
): AbsentThing | undefined {
  const canBe = (word: ReadWord) =>
    !word.isUnit &&
    word.as !== "optional" &&
    foldedLetters.test(word.word) &&
    canNameThing(statistics, language, word);
  const named = words.slice(0, endOfThing(language, words));
  const thing = language.names.thingFirst ? named.find(canBe) : named.findLast(canBe);
  if (thing === undefined || thing.as === "completed") return undefined;
  const isAbsent =
    thing.as === "unknown"
      ? isNoun(statistics, language, thing.word) || !namesThing(statistics, words)
      : isDescriptionOnly(statistics, language, thing);
  if (!isAbsent) return undefined;
  const isNamed = lastTerms(thing).some((term) => statistics.timesNamed(term) > 0);
  return { word: thing.word, isCertain: !isNamed };
}

/** A noun that is similar to a word of the catalog may be a misspelling: adopter, adapter. */
function isNoun(
  statistics: WordStatistics,
  { thingTerms, dictionary, termOf }: Language,
  word: string,
): boolean {
  if (thingTerms.has(termOf(word))) return true;
  return dictionary.isNoun(word) && statistics.similarWords(word, 1).length === 0;
}

function namesThing(statistics: WordStatistics, words: readonly ReadWord[]): boolean {
  return words.some((word) => word.as !== "optional" && thingShare(statistics, word) > 0);
}

/** Whether the catalog has the word only to say what another thing is for or like. */
function isDescriptionOnly(statistics: WordStatistics, { thingTerms }: Language, word: ReadWord): boolean {
  if (thingShare(statistics, word) > 0) return false;
  if (lastTerms(word).some((term) => isLevelTerm(term) || statistics.namesLevel(term))) return false;
  return lastTerms(word).every(
    (term) => thingTerms.has(term) && (statistics.timesNamed(term) === 0 || statistics.onlyDescribes(term)),
  );
}

const longestLevel = 4;
/** As much as the category of a document. */
const levelWeight = 0.5;

/** Phrases that are the whole name of a level of categories find what is below it: "furniture", but not "oil" in "Oil & Masala". */
function nameLevels(statistics: WordStatistics, language: Language, words: readonly ReadWord[]): ReadWord[] {
  const named = [...words];
  const places = [...words.keys()].filter((place) => words[place]?.as !== "optional");
  for (let at = 0; at < places.length; at++) {
    const [first = ""] = language.termOf(words[places[at] ?? 0]?.word ?? "").split(" ", 1);
    // Most words begin no level.
    const longest = Math.min(longestLevel, statistics.longestLevel(first), places.length - at);
    for (let length = longest; length > 0; length--) {
      const run = places.slice(at, at + length);
      const term = levelTermOf(
        run.flatMap((place) => words[place]?.word ?? []),
        language.termOf,
      );
      if (statistics.documentsWith(term) === 0) continue;
      for (const place of run) {
        const word = words[place];
        if (word === undefined) continue;
        const own = word.as === "matched" ? word.alternatives : [];
        named[place] = {
          ...word,
          as: "matched",
          used: [word.word],
          alternatives: [...own, { term, weight: levelWeight }],
        };
      }
      at += length - 1;
      break;
    }
  }
  return named;
}

/** Adds to each phrase of the query its synonyms in the catalog: a document needs one of them. */
function applySynonyms(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
  synonyms: SynonymTable,
  applies: (phrase: readonly ReadWord[]) => boolean,
): ReadWord[] {
  const { termOf } = language;
  const terms = words.map(({ word, as, used: [used = word] }) => {
    const isPart = as === "split" && used.length < word.length;
    return termOf(as === "corrected" || isPart ? used : word);
  });
  const applied = [...words];
  for (let at = 0; at < words.length; ) {
    const matches = synonyms.find(terms, at);
    if (matches.length === 0) {
      at++;
      continue;
    }
    const found = matches
      .map(({ length, targets }) => ({
        length,
        targets: targets
          .map(({ terms: words }) => words)
          .filter((target) => isNamed(statistics, language, target)),
      }))
      .find(({ length, targets }) => targets.length > 0 && applies(words.slice(at, at + length)));
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
  return terms.every((term, i) => i === 0 || statistics.adjacency(terms[i - 1] ?? "", term).adjacent > 0);
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

/** Adds the compound of two adjacent words if it exists: "showerhead" for "shower head", "tshirt" for "t shirt". */
function joinWords(statistics: WordStatistics, language: Language, words: readonly ReadWord[]): ReadWord[] {
  const joins = words.map((word, i) => joinOf(statistics, language, words[i - 1], word));
  return words.map((word, i) => {
    const known: string[] = [];
    for (const [join, other] of [
      [joins[i], words[i - 1]],
      [joins[i + 1], words[i + 1]],
    ] as const)
      if (join !== undefined && takesJoin(language, word, other)) known.push(join);
    return known.length === 0 ? word : withJoined(language, word, known);
  });
}

/** Two words as one, if the catalog has that and one of them takes it. */
function joinOf(
  statistics: WordStatistics,
  language: Language,
  left: ReadWord | undefined,
  right: ReadWord,
): string | undefined {
  if (left === undefined || (!takesJoin(language, left, right) && !takesJoin(language, right, left)))
    return undefined;
  const join = left.word + right.word;
  return joinableWord.test(join) && statistics.documentsWith(language.termOf(join)) > 0 ? join : undefined;
}

/** "a red hat" is no hat that is "ared", whose stem is that of "are": function words are words of their own. */
function takesJoin({ functionWords }: Language, { as }: ReadWord, other: ReadWord | undefined): boolean {
  return as !== "optional" && as !== "completed" && other !== undefined && !functionWords.has(other.word);
}

function withJoined({ termOf }: Language, word: ReadWord, compounds: readonly string[]): ReadWord {
  const alternatives = compounds.map((join) => ({ term: termOf(join), weight: 1 }));
  if (word.as === "matched" || word.as === "split")
    return { ...word, alternatives: [...word.alternatives, ...alternatives] };
  // If only the space is wrong, the written word replaces a guess.
  return { ...word, as: "split", used: compounds, alternatives };
}

/**
 * Corrects words that the catalog does not have and that may be slips: "running shoos", "steel sinl". Such a word may name what
 * the shop lacks, or a brand, so it is only replaced if names have the other word together with the same neighbour, and for a
 * word of no dictionary right beside it.
 */
function correctByNeighbours(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
): readonly ReadWord[] {
  return words.map((word, i) => {
    if (word.as !== "unknown") return word;
    const [before, after] = [words[i - 1], words[i + 1]].map((other) => other && termBeside(language, other));
    const namesWith = language.dictionary.has(word.word) ? "names" : "adjacent";
    let best: { slip: string; names: number } | undefined;
    for (const slip of slipsOf(statistics, language, word.word)) {
      const term = language.termOf(slip);
      const names =
        (before === undefined ? 0 : statistics.adjacency(before, term)[namesWith]) +
        (after === undefined ? 0 : statistics.adjacency(term, after)[namesWith]);
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

/** By the function that lists them: a search over another engine copies the statistics and keeps their functions. */
const namesOfStatistics = new WeakMap<
  WordStatistics["attributeNames"],
  Map<string, ReadonlyMap<string, readonly string[]>>
>();

/**
 * Reads a token that only names the attribute of the value beside it: "size" in "shirt size M", "colour" in "colour: red".
 * Products have the values, but few texts have the names, so a name must not be required. Undefined for any other token.
 */
function readAttributeName(
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

/** Of a longer text, so many words that the catalog has are read: each one's documents are looked through. */
const maxReadWords = 12;

/**
 * The places of the words that are left out of a long text: the thing is read first, then the rarest words, those that are
 * never required last.
 */
function leftOutOf(
  statistics: WordStatistics,
  words: readonly ReadWord[],
  thing: number,
): ReadonlySet<number> {
  const known = words.flatMap(({ as, alternatives: [own] }, place) =>
    own === undefined
      ? []
      : [
          {
            place,
            rank: place === thing ? 0 : as === "optional" ? 2 : 1,
            documents: documentsWith(statistics, own),
          },
        ],
  );
  if (known.length <= maxReadWords) return new Set();
  known.sort((a, b) => a.rank - b.rank || a.documents - b.documents || a.place - b.place);
  return new Set(known.slice(maxReadWords).map(({ place }) => place));
}

function documentsWith(statistics: WordStatistics, way: Alternative): number {
  if ("term" in way) return statistics.documentsWith(way.term);
  // The beginning of a word is what is being typed.
  if ("prefix" in way) return 0;
  return Math.min(...way.terms.map((term) => statistics.documentsWith(term)));
}

/** The terms of a document that has all the words of a text; in English without a language. */
export function queryTerms(text: string, language?: Pick<Language, "termOf" | "prepare">): string[] {
  if (language === undefined) return tokenize(text, "query").map(termOf);
  return tokenize(language.prepare?.(text) ?? text, "query").map(language.termOf);
}
