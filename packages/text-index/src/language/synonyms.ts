import { termOf } from "../text/term.ts";
import { tokenize } from "../text/tokenize.ts";

/** Words that stand for others: any phrase of `from` also finds what has one of `to`. */
export interface SynonymRule {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** Synonyms as queries use them: by terms, so that any form of a word will do. Immutable. */
export interface SynonymTable {
  /** Whether the term stands for others by itself. */
  has(term: string): boolean;
  /** The phrases that begin at a place of a query, the longest first, and what each also stands for. */
  find(terms: readonly string[], at: number): readonly SynonymMatch[];
  /** The words that stand for others by themselves, as they are written. */
  readonly words: readonly string[];
}

export interface SynonymMatch {
  /** In words. */
  readonly length: number;
  readonly targets: readonly SynonymTarget[];
}

/** A phrase that is also found. */
export interface SynonymTarget {
  readonly phrase: string;
  readonly terms: readonly string[];
}

const MAX_PHRASE_WORDS = 6;

/**
 * Reads lines such as `couch, sofa, settee` (each finds the others) and `sneakers => running shoes` (only the first finds
 * the second). Empty lines and what follows `#` are skipped.
 */
export function parseSynonyms(text: string): SynonymRule[] {
  return text.split("\n").flatMap((line, i) => {
    const content = line.replace(/#.*/, "").trim();
    if (content === "") return [];
    const [left = "", right, more] = content.split("=>").map(phrasesOf);
    const isRule =
      right === undefined ? left.length >= 2 : more === undefined && left.length > 0 && right.length > 0;
    if (!isRule)
      throw new Error(`line ${i + 1}: write "couch, sofa" or "sneakers => running shoes", not "${content}"`);
    return [{ from: [...left], to: [...(right ?? left)] }];
  });
}

/** The rule as a line, the same for all ways of writing it: two rules that say the same have one line. */
export function formatSynonym({ from, to }: SynonymRule): string {
  const [left, right] = [from, to].map((phrases) => phrases.map(tidy).toSorted().join(", "));
  return left === right ? `${left}` : `${left} => ${right}`;
}

function tidy(phrase: string): string {
  return phrase.toLowerCase().replace(/\s+/g, " ");
}

function phrasesOf(text: string): string[] {
  return text
    .split(",")
    .map((phrase) => phrase.trim())
    .filter((phrase) => tokenize(phrase, "query").length > 0);
}

export function compileSynonyms(rules: Iterable<SynonymRule>): SynonymTable {
  const targetsOf = new Map<string, Map<string, SynonymTarget>>();
  const all = [...rules];
  const words = all
    .flatMap(({ from }) => from.map((phrase) => tokenize(phrase, "query")))
    .filter(isWord)
    .flat();
  for (const { from, to } of all) {
    for (const phrase of from.map(termsOf)) {
      if (phrase.length > MAX_PHRASE_WORDS) continue;
      const targets = targetsOf.get(keyOf(phrase)) ?? new Map<string, SynonymTarget>();
      for (const target of to) {
        const terms = termsOf(target);
        if (saysElse(phrase, terms)) targets.set(keyOf(terms), { phrase: target, terms });
      }
      if (targets.size > 0) targetsOf.set(keyOf(phrase), targets);
    }
  }
  return {
    has: (term) => targetsOf.has(term),
    find: (terms, at) => phrasesAt(targetsOf, terms, at),
    words,
  };
}

type Targets = ReadonlyMap<string, ReadonlyMap<string, SynonymTarget>>;

function phrasesAt(targetsOf: Targets, terms: readonly string[], at: number): SynonymMatch[] {
  const longest = Math.min(MAX_PHRASE_WORDS, terms.length - at);
  return Array.from({ length: longest }, (_, shorter) => longest - shorter).flatMap((length) => {
    const targets = targetsOf.get(keyOf(terms.slice(at, at + length)));
    return targets === undefined ? [] : [{ length, targets: [...targets.values()] }];
  });
}

/** Compiles when it is first asked. */
export function lazySynonyms(compile: () => SynonymTable): SynonymTable {
  let compiled: SynonymTable | undefined;
  const table = () => {
    compiled ??= compile();
    return compiled;
  };
  return {
    has: (term) => table().has(term),
    find: (terms, at) => table().find(terms, at),
    get words() {
      return table().words;
    },
  };
}

function isWord(words: readonly string[]): boolean {
  return words.length === 1;
}

function termsOf(phrase: string): string[] {
  return tokenize(phrase, "query").map(termOf);
}

function keyOf(terms: readonly string[]): string {
  return terms.join(" ");
}

/** A phrase with more words finds less, one with fewer words gives up words: neither is another way to say it. */
function saysElse(phrase: readonly string[], target: readonly string[]): boolean {
  const contains = (whole: readonly string[], part: readonly string[]) =>
    part.every((term) => whole.includes(term));
  return !contains(phrase, target) && !contains(target, phrase);
}
