import type { Language } from "../language/language.ts";
import { isLevelTerm } from "../text/term.ts";
import type { Alternative, ReadWord, WordStatistics } from "./query-plan.ts";

const shortestPart = 3;
// "Schreibtischlampe" is a lamp, and about desks.
const headWeight = 0.9;
export const firstPartWeight = 0.6;
/** More compounds than this of one word add nothing to the best hits. */
const maxCompounds = 256;
const longPart = 4;
const longForm = 5;
// The stem of a compound may be shorter than that of its head: "Schere" is "scher", but "Gartenschere" is "gartensch".
const anyFirstPart = "gartenzaun";
const inflections = ["", "e", "n", "en", "er", "ern", "s", "es"];
const noRules = { doubtfulHeads: new Set<string>(), opaque: [] as const };
const letters = /^\p{L}+$/u;

/**
 * Adds to each word the compounds of the catalog that contain it: a document with "Schreibtischlampe" has both "Lampe" and
 * "Schreibtisch". The rest of a compound must be a word that the catalog or the language has: "elastisch" has no "Tisch".
 */
export function withCompounds(
  statistics: WordStatistics,
  language: Language,
  words: readonly ReadWord[],
): readonly ReadWord[] {
  if (language.compounds === undefined) return words;
  return words.map((word) => {
    if (word.isUnit || word.as === "optional" || word.as === "unknown") return word;
    const known = new Set(word.alternatives.flatMap((way) => ("term" in way ? way.term : [])));
    const compounds = [...known].flatMap((term) => compoundsOf(statistics, language, term));
    const added = compounds.filter((way) => !("term" in way && known.has(way.term)));
    return added.length === 0 ? word : { ...word, alternatives: [...word.alternatives, ...added] };
  });
}

/** Whether the catalog has a term, alone or in compounds. */
export function isKnownTerm(statistics: WordStatistics, language: Language, term: string): boolean {
  return statistics.documentsWith(term) > 0 || compoundsOf(statistics, language, term).length > 0;
}

/** The compounds of a term as ways to match it. */
export function compoundsOf(
  statistics: WordStatistics,
  language: Language,
  term: string,
): readonly Alternative[] {
  if (language.compounds === undefined || term.length < shortestPart || !letters.test(term)) return [];
  const ofStem = statistics
    .termsEndingWith(term)
    .filter((compound) => isHead(statistics, language, { compound, term, part: term }, longPart));
  const longEnough = language.thingTerms.has(term) ? longPart : longForm;
  const ofForms = formsOf(language, term).flatMap((part) =>
    statistics
      .wordsEndingWith(part)
      .filter((compound) => isHead(statistics, language, { compound, term, part }, longEnough))
      .map(language.termOf),
  );
  const heads = [...new Set([...ofStem, ...ofForms])].map((compound) => ({
    term: compound,
    weight: headWeight,
  }));
  const firstParts = statistics
    .termsBeginningWith(term)
    .filter((compound) => hasHead(statistics, language, compound.slice(term.length)))
    .map((compound) => ({ term: compound, weight: firstPartWeight }));
  return [...heads, ...firstParts].slice(0, maxCompounds);
}

/** The forms of a word by which its compounds are found, if not all of them end with its stem, or if that is short. */
function formsOf({ termOf }: Language, term: string): string[] {
  const ofCompound = (form: string) => termOf(anyFirstPart + form).slice(anyFirstPart.length);
  return inflections
    .map((ending) => term + ending)
    .filter((form) => termOf(form) === term && (term.length < longPart || ofCompound(form) !== term));
}

interface Head {
  /** A term or a word of the catalog. */
  readonly compound: string;
  readonly term: string;
  /** With what the compound ends: the term, or a word with it. */
  readonly part: string;
}

/** An unknown first part is accepted if both parts are long: the catalog may have "Abend" in no other word. */
function isHead(
  statistics: WordStatistics,
  language: Language,
  { compound, term, part }: Head,
  longEnough: number,
): boolean {
  if (isLevelTerm(compound)) return false;
  const { doubtfulHeads, opaque } = language.compounds ?? noRules;
  if (opaque.some((other) => compound.includes(other) && other.length > term.length)) return false;
  const first = compound.slice(0, -part.length);
  if (firstPartOf(statistics, language, first) !== undefined) return true;
  const areLong = part.length >= longEnough && first.length >= longPart;
  return areLong && !doubtfulHeads.has(term) && /[aeiouy]/.test(first);
}

function hasHead(statistics: WordStatistics, { compounds, thingTerms }: Language, rest: string): boolean {
  return (compounds?.links ?? [])
    .filter((link) => rest.startsWith(link) && rest.length - link.length >= shortestPart)
    .map((link) => rest.slice(link.length))
    .some((head) => thingTerms.has(head) || statistics.documentsWith(head) > 0);
}

/** The first part of a compound as a word, without the letters that link it to the second one. */
function firstPartOf(statistics: WordStatistics, language: Language, text: string): string | undefined {
  const { compounds } = language;
  return (compounds?.links ?? [])
    .filter((link) => text.endsWith(link))
    .map((link) => text.slice(0, text.length - link.length))
    .find((part) => part.length >= shortestPart && isWord(statistics, language, part));
}

function isWord(statistics: WordStatistics, language: Language, part: string): boolean {
  const { compounds, termOf, functionWords, attributeWords, thingTerms } = language;
  if (functionWords.has(part)) return false;
  if (compounds?.firstParts.has(part) || attributeWords.has(part)) return true;
  return thingTerms.has(termOf(part)) || statistics.documentsWith(termOf(part)) > 0;
}

/** The two parts of a compound, if the catalog has both. */
export function splitCompound(
  statistics: WordStatistics,
  language: Language,
  word: string,
): readonly string[] | undefined {
  const both = partsOf(statistics, language, word).find(({ first }) =>
    isKnownTerm(statistics, language, language.termOf(first)),
  );
  return both && [both.first, both.head];
}

/** What a compound is, if the catalog has that and the first part is at least a word of the language: "Steh" + "Lampe". */
export function headOfCompound(
  statistics: WordStatistics,
  language: Language,
  word: string,
): string | undefined {
  if (language.compounds === undefined) return undefined;
  return partsOf(statistics, language, word)[0]?.head;
}

/** With the longest head first. */
function partsOf(
  statistics: WordStatistics,
  language: Language,
  word: string,
): { first: string; head: string }[] {
  const parts: { first: string; head: string }[] = [];
  for (let at = shortestPart; at <= word.length - shortestPart; at++) {
    const head = word.slice(at);
    if (language.functionWords.has(head) || !isKnownTerm(statistics, language, language.termOf(head)))
      continue;
    const first = firstPartOf(statistics, language, word.slice(0, at));
    if (first !== undefined) parts.push({ first, head });
  }
  return parts;
}
