import { termOf as englishTermOf, tokenize } from "../text/tokenize.ts";

/** One rule: any phrase of `from` also finds documents that have one of `to`. */
export interface SynonymRule {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** Synonyms in the form for queries: by terms, so that they apply to every form of a word. Immutable. */
export interface SynonymTable {
  /** Whether the single term has synonyms. */
  has(term: string): boolean;
  /** The phrases with synonyms that begin at a position of a query, longest first, and their synonyms. */
  find(terms: readonly string[], at: number): readonly SynonymMatch[];
  /** The single words that have synonyms, as written. */
  readonly words: readonly string[];
}

export interface SynonymMatch {
  /** Number of words. */
  readonly length: number;
  readonly targets: readonly SynonymTarget[];
}

/** Another phrase that a document may have instead. */
export interface SynonymTarget {
  readonly phrase: string;
  readonly terms: readonly string[];
}

/** Longer phrases are never looked up. */
export const maxSynonymWords = 6;

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
      throw new Error(
        `line ${i + 1}: ${JSON.stringify(content.slice(0, 80))} is not a rule. ` +
          'Write "couch, sofa" or "sneakers => running shoes".',
      );
    return [{ from: [...left], to: [...(right ?? left)] }];
  });
}

/** The rule as a line. Rules that say the same have the same line. */
export function formatSynonym({ from, to }: SynonymRule): string {
  const [left = "", right = ""] = [from, to].map((phrases) =>
    [...new Set(phrases.map(normalize))].toSorted().join(", "),
  );
  return left === right ? left : `${left} => ${right}`;
}

function normalize(phrase: string): string {
  return phrase.toLowerCase().replace(/\s+/g, " ");
}

function phrasesOf(text: string): string[] {
  return text
    .split(",")
    .map((phrase) => phrase.trim())
    .filter((phrase) => tokenize(phrase, "query").length > 0);
}

export function compileSynonyms(
  rules: Iterable<SynonymRule>,
  termOf: (word: string) => string = englishTermOf,
): SynonymTable {
  const targetsOf = new Map<string, Map<string, SynonymTarget>>();
  const all = [...rules];
  const wordsOf = createTokenizer();
  const termsOf = (phrase: string) => wordsOf(phrase).map(termOf);
  const words = all
    .flatMap(({ from }) => from.map(wordsOf))
    .filter(isWord)
    .flat();
  for (const { from, to } of all) {
    const others = to.map((phrase): SynonymTarget => ({ phrase, terms: termsOf(phrase) }));
    for (const phrase of from.map(termsOf)) {
      if (phrase.length > maxSynonymWords) continue;
      const targets = targetsOf.get(keyOf(phrase)) ?? new Map<string, SynonymTarget>();
      for (const other of others) if (saysElse(phrase, other.terms)) targets.set(keyOf(other.terms), other);
      if (targets.size > 0) targetsOf.set(keyOf(phrase), targets);
    }
  }
  const longest = longestPhrases(targetsOf.keys());
  return {
    has: (term) => targetsOf.has(term),
    find: (terms, at) => phrasesAt(targetsOf, terms, at, longest.get(terms[at] ?? "") ?? 0),
    words,
  };
}

type Targets = ReadonlyMap<string, ReadonlyMap<string, SynonymTarget>>;

/** By its first term, the number of words of the longest phrase. */
function longestPhrases(keys: Iterable<string>): ReadonlyMap<string, number> {
  const longest = new Map<string, number>();
  for (const key of keys) {
    const [first = "", ...more] = key.split(" ");
    longest.set(first, Math.max(longest.get(first) ?? 0, 1 + more.length));
  }
  return longest;
}

const noPhrases: readonly SynonymMatch[] = [];

/** Most words begin no phrase. */
function phrasesAt(
  targetsOf: Targets,
  terms: readonly string[],
  at: number,
  mostWords: number,
): readonly SynonymMatch[] {
  const longest = Math.min(mostWords, terms.length - at);
  if (longest === 0) return noPhrases;
  return Array.from({ length: longest }, (_, shorter) => longest - shorter).flatMap((length) => {
    const targets = targetsOf.get(keyOf(terms.slice(at, at + length)));
    return targets === undefined ? [] : [{ length, targets: [...targets.values()] }];
  });
}

/** Compiles on first use. */
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

/** Most phrases are on both sides of a rule, and tokenizing is most of the work. */
function createTokenizer(): (phrase: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (phrase) => {
    const words = known.get(phrase) ?? tokenize(phrase, "query");
    known.set(phrase, words);
    return words;
  };
}

function keyOf(terms: readonly string[]): string {
  return terms.join(" ");
}

/** A phrase with more words finds less, and one with fewer words drops words: neither is a synonym. */
function saysElse(phrase: readonly string[], target: readonly string[]): boolean {
  const contains = (whole: readonly string[], part: readonly string[]) =>
    part.every((term) => whole.includes(term));
  return !contains(phrase, target) && !contains(target, phrase);
}

/** A phrase of a query, and the phrases that a document may have instead. */
export interface ExplainedPhrase {
  readonly phrase: string;
  readonly synonyms: readonly string[];
}

/** The longest phrases of a query that have synonyms. It does not look at a catalog: a search uses only synonyms in it. */
export function explainSynonyms(
  table: SynonymTable,
  query: string,
  termOf: (word: string) => string = englishTermOf,
): ExplainedPhrase[] {
  const words = tokenize(query, "query");
  const terms = words.map(termOf);
  const explained: ExplainedPhrase[] = [];
  for (let at = 0; at < words.length; ) {
    const [longest] = table.find(terms, at);
    if (longest !== undefined) {
      explained.push({
        phrase: words.slice(at, at + longest.length).join(" "),
        synonyms: longest.targets.map((target) => target.phrase),
      });
    }
    at += longest?.length ?? 1;
  }
  return explained;
}
