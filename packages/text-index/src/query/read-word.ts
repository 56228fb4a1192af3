import type { Language } from "../language/language.ts";
import { termOf } from "../text/term.ts";
import type { Alternative, PlannedWord } from "./query-plan.ts";
import type { QueryToken } from "./read-tokens.ts";
import { halvesOf, type Spelling, spell } from "./spell.ts";
import type { WordStatistics } from "./word-statistics.ts";

/** A word of the query before it is known what part it plays. */
export interface ReadWord extends Omit<PlannedWord, "cost"> {
  /** It is the unit of the amount before it. */
  readonly isUnit: boolean;
}

export const MIN_PREFIX_LENGTH = 2;
// "shower head" for "showerhead".
const HALVES_WEIGHT = 0.9;
export const COMPLETION_WEIGHT = 0.8;
// A size or a code that is all there, but not as one: the numbers of "2 x 4" somewhere in a name.
const SCATTERED_WEIGHT = 0.5;
// The number of an amount without its unit.
const BARE_NUMBER_WEIGHT = 0.6;

/** What the token of a query stands for: itself, a correction, two words, or words that it begins. */
export function readToken(
  statistics: WordStatistics,
  language: Language,
  token: QueryToken,
  isLast: boolean,
): ReadWord[] {
  if (token.kind === "word") return readWord(statistics, language, token.typed, isLast);
  if (token.kind === "unit")
    return readWord(statistics, language, token.typed, false).map((word) => ({ ...word, isUnit: true }));
  return [readGroup(statistics, token)];
}

function readGroup(statistics: WordStatistics, { typed, words, groupTerms, kind }: QueryToken): ReadWord {
  const terms = [...new Set(words.map(termOf))];
  const exact = kind === "amount" ? groupTerms : groupTerms.slice(0, 1);
  const alternatives: Alternative[] = exact
    .filter((term) => statistics.documentsWith(term) > 0)
    .map((term) => ({ term, weight: 1 }));
  if (terms.every((term) => statistics.documentsWith(term) > 0)) {
    const [only = "", second] = terms;
    const weight = kind === "amount" ? BARE_NUMBER_WEIGHT : SCATTERED_WEIGHT;
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

function readWord(statistics: WordStatistics, language: Language, word: string, isLast: boolean): ReadWord[] {
  const term = termOf(word);
  if (statistics.documentsWith(term) > 0) {
    const as = language.functionWords.has(word) ? "optional" : "matched";
    const halves = halvesOf(statistics, word);
    const alternatives: Alternative[] = [{ term, weight: 1 }];
    if (halves !== undefined) alternatives.push({ terms: halves.map(termOf), weight: HALVES_WEIGHT });
    return [{ word, as, used: [word], alternatives, isUnit: false }];
  }
  if (language.synonyms.has(term)) return fromSpelling(word, undefined);
  if (isLast && canBeBeginning(statistics, language, word)) {
    const alternatives = [{ prefix: word, weight: COMPLETION_WEIGHT }];
    return [{ word, as: "completed", used: [`${word}…`], alternatives, isUnit: false }];
  }
  return fromSpelling(word, spell(statistics, language, word));
}

/** "lam" may be the beginning of a lamp. "pen" is not that of a pendant: it is a thing of its own. */
function canBeBeginning(statistics: WordStatistics, { thingTerms }: Language, word: string): boolean {
  return (
    word.length >= MIN_PREFIX_LENGTH && !thingTerms.has(termOf(word)) && statistics.hasWordWithPrefix(word)
  );
}

function fromSpelling(word: string, spelling: Spelling | undefined): ReadWord[] {
  if (spelling === undefined) return [{ word, as: "unknown", used: [], alternatives: [], isUnit: false }];
  return spelling.words.map((used) => ({
    word,
    as: spelling.as,
    used: [used],
    alternatives: [{ term: termOf(used), weight: 1 }],
    isUnit: false,
  }));
}
