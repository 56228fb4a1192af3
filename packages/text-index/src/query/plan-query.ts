import type { Language } from "../language/language.ts";
import { isKnownTerm, withCompounds } from "./compounds.ts";
import type { Alternative, PlannedWord, QueryPlan, ReadWord, Relaxation } from "./query-plan.ts";
import { readTokens } from "./read-tokens.ts";
import { readToken } from "./read-word.ts";
import type { WantedThing } from "./word-roles.ts";
import { canNameThing, cost, costOf, endOfThing, findThing, lastTerms, thingShare } from "./word-roles.ts";
import type { WordStatistics } from "./word-statistics.ts";

/** The minimum share of the total cost of the words, step by step. */
const shares = [0.75, 0.5, 0.25] as const;

const joinableWord = /^\p{L}{4,}$/u;

// A little less than the word itself.
const synonymWeight = 0.8;

const foldedLetters = /^\p{L}{2,}$/u;

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

/**
 * The thing that a query asks for, if the catalog has no such thing: its products may have the other words, or this word
 * only as a description (a backpack with room for a laptop). Undefined if the catalog may have one.
 */
function findAbsentThing(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
): string | undefined {
  const canBe = (word: ReadWord) =>
    !word.isUnit && foldedLetters.test(word.word) && canNameThing(statistics, language, word);
  const named = words.slice(0, endOfThing(language, words));
  const thing = language.names.thingFirst ? named.find(canBe) : named.findLast(canBe);
  if (thing === undefined || thing.as === "completed") return undefined;
  const isAbsent =
    thing.as === "unknown"
      ? isNoun(statistics, language, thing.word) || !namesThing(statistics, words)
      : isDescriptionOnly(statistics, language, thing);
  return isAbsent ? thing.word : undefined;
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
  return lastTerms(word).every(
    (term) => thingTerms.has(term) && (statistics.timesNamed(term) === 0 || statistics.onlyDescribes(term)),
  );
}

/** Adds to each phrase of the query its synonyms in the catalog: a document needs one of them. */
function applySynonyms(
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

/** Adds the compound of two adjacent words if it exists: "showerhead" for "shower head", "tshirt" for "t shirt". */
function joinWords(statistics: WordStatistics, language: Language, words: readonly ReadWord[]): ReadWord[] {
  return words.map((word, i) => withJoined(statistics, language, word, words[i - 1], words[i + 1]));
}

function withJoined(
  statistics: WordStatistics,
  { termOf }: Language,
  word: ReadWord,
  before: ReadWord | undefined,
  after: ReadWord | undefined,
): ReadWord {
  if (word.as === "optional" || word.as === "completed") return word;
  const joins = [before && `${before.word}${word.word}`, after && `${word.word}${after.word}`];
  const known = joins.filter(
    (join) => join !== undefined && joinableWord.test(join) && statistics.documentsWith(termOf(join)) > 0,
  );
  if (known.length === 0) return word;
  const alternatives = known.map((join = "") => ({ term: termOf(join), weight: 1 }));
  if (word.as === "matched" || word.as === "split")
    return { ...word, alternatives: [...word.alternatives, ...alternatives] };
  // If only the space is wrong, the written word replaces a guess.
  return { ...word, as: "split", used: known.filter((join) => join !== undefined), alternatives };
}

/**
 * The steps in which words are dropped, the cheapest first. If it is certain which word is the thing, that word is kept. It
 * is dropped only if no document has it together with a quarter of the rest: either all other words are found together and
 * also name a thing ("spiral window balance wrench" then finds spiral window balances), or only the thing is searched for.
 */
function relaxationsOf(words: readonly PlannedWord[], thing: WantedThing): Relaxation[] {
  const all = words.reduce((sum, word) => sum + word.cost, 0);
  const rest = all - (words[thing.place]?.cost ?? 0);
  return thing.isSure ? keepingThing(rest, thing.hasRival) : droppingAny(all);
}

function keepingThing(rest: number, hasRival: boolean): Relaxation[] {
  if (rest === 0) return [];
  const steps = shares
    .map((share) => Math.ceil(rest * share))
    .filter((least) => least < rest)
    .map((least) => ({ least, needsThing: true, isLastResort: false }));
  const withoutThing = { least: rest, needsThing: false, isLastResort: true };
  const thingAlone = { least: 0, needsThing: true, isLastResort: true };
  return rest >= 2 * cost.describing && hasRival
    ? [...steps, withoutThing, thingAlone]
    : [...steps, thingAlone];
}

/** No document matches only by light words, unless there are no others. */
function droppingAny(all: number): Relaxation[] {
  const least = Math.min(cost.describing, all);
  return [...new Set([...shares.map((share) => Math.ceil(all * share)), least])]
    .filter((sum) => sum >= least && sum < all)
    .map((sum) => ({ least: sum, needsThing: false, isLastResort: false }));
}
