import { type Languages, pathKey, pathSeparator, queryTerms } from "@product-search/text-index";
import type { StoredRule } from "../../ports/rule-store.ts";
import { fold } from "../name-list.ts";

/** What a rule is compared with. */
export interface RuledSearch {
  /** As the client sent it. */
  text: string;
  /** The categories by which the search is filtered. */
  categories: readonly string[];
}

/** Finds the rules of a search without looking at the others. */
export interface RuleTable {
  /** Of the store; undefined before the first change, and for rules that are only tried. */
  readonly version: string | undefined;
  /** All, in their order. */
  readonly rules: readonly StoredRule[];
  /** Those that are enabled and within their time, in their order. */
  find(search: RuledSearch, nowMs: number): readonly StoredRule[];
  /** The table of other rules, with the same languages. What it has in common with this one is not read again. */
  with(rules: readonly StoredRule[], version?: string): RuleTable;
}

interface Entry {
  readonly place: number;
  readonly rule: StoredRule;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The rules whose phrase ends here, and the next words of longer phrases. */
interface Phrase {
  readonly entries: Entry[];
  readonly next: Map<string, Phrase>;
}

/**
 * In the order of the rules. A search looks up its text, its words and its categories: it reads no rule that has others.
 * Words are compared by their terms in one of the languages, as the index does.
 */
export function createRuleTable(
  rules: readonly StoredRule[],
  languages: Languages,
  version?: string,
): RuleTable {
  return tableOf(rules, version, languages, new WeakMap());
}

function tableOf(
  rules: readonly StoredRule[],
  version: string | undefined,
  languages: Languages,
  knownReadings: WeakMap<StoredRule, string[][]>,
): RuleTable {
  const byText = new Map<string, Entry[]>();
  const phrases: Phrase = { entries: [], next: new Map() };
  const byCategory = new Map<string, Entry[]>();
  const ofEverySearch: Entry[] = [];
  rules.forEach((rule, place) => {
    const { enabled = true, when, from, until } = rule.definition;
    if (!enabled) return;
    const entry: Entry = {
      place,
      rule,
      fromMs: from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from),
      untilMs: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
    };
    if (when.query !== undefined) {
      const wordsOfRule = knownReadings.get(rule) ?? readings(when.query, languages);
      knownReadings.set(rule, wordsOfRule);
      for (const words of wordsOfRule)
        if (when.match === "contains") addPhrase(phrases, words, entry);
        else push(byText, words.join(" "), entry);
    } else if (when.categories !== undefined) {
      for (const category of when.categories)
        for (const key of keysOf(category)) push(byCategory, key, entry);
    } else ofEverySearch.push(entry);
  });

  return {
    version,
    rules,
    with: (others, newest) => tableOf(others, newest, languages, knownReadings),
    find({ text, categories }, nowMs) {
      const names = new Set(categories.flatMap(namesOf));
      const found = new Set(ofEverySearch);
      const readsText = byText.size + phrases.next.size > 0;
      for (const words of readsText ? readings(text, languages) : []) {
        for (const entry of byText.get(words.join(" ")) ?? []) found.add(entry);
        words.forEach((_, at) => {
          for (const entry of phrasesAt(phrases, words, at)) found.add(entry);
        });
      }
      for (const name of names) for (const entry of byCategory.get(name) ?? []) found.add(entry);
      if (found.size === 0) return [];
      return [...found]
        .filter(({ rule, fromMs, untilMs }) => {
          const { categories: required } = rule.definition.when;
          return (
            fromMs <= nowMs &&
            nowMs <= untilMs &&
            (required === undefined || required.flatMap(keysOf).some((key) => names.has(key)))
          );
        })
        .sort((one, other) => one.place - other.place)
        .map(({ rule }) => rule);
    },
  };
}

// A word with these signs at an end is a name of its own, which the index would cut: "c++", "c#", "@home", ".net".
const signWord = /^(?:[#+@]|\.\p{L})|[#+]$|#|\+\+/u;
const wordOrDigit = /[\p{L}\p{N}]/u;
const chunks = /[^\s/,;|()[\]{}"“”«»!?:]+/gu;
const aroundWords = /^['’-]+|[.'’-]+$/gu;

/** The words of a text in each language that reads it differently; none without a letter and a digit. */
function readings(text: string, languages: Languages): string[][] {
  const different = new Map<string, string[]>();
  for (const language of languages) {
    const words = wordsOf(fold(text), (part) => queryTerms(part, language));
    if (words.length > 0) different.set(words.join(" "), words);
  }
  return [...different.values()];
}

/** A word of signs stays as it is, with a space before it: no term of a word is the same. */
function wordsOf(text: string, termsOf: (part: string) => string[]): string[] {
  const words: string[] = [];
  let end = 0;
  for (const { 0: chunk, index } of text.matchAll(chunks)) {
    const word = chunk.replace(aroundWords, "");
    if (!wordOrDigit.test(word) || !signWord.test(word)) continue;
    words.push(...termsOf(text.slice(end, index)), ` ${word}`);
    end = index + chunk.length;
  }
  words.push(...termsOf(text.slice(end)));
  return words;
}

function addPhrase(phrases: Phrase, words: readonly string[], entry: Entry): void {
  let phrase = phrases;
  for (const word of words) {
    const next = phrase.next.get(word) ?? { entries: [], next: new Map() };
    phrase.next.set(word, next);
    phrase = next;
  }
  phrase.entries.push(entry);
}

/** The rules with a phrase that begins at this word of a text. */
function* phrasesAt(phrases: Phrase, words: readonly string[], from: number): Generator<Entry> {
  let phrase: Phrase | undefined = phrases;
  for (let at = from; at < words.length; at++) {
    phrase = phrase.next.get(words[at] ?? "");
    if (phrase === undefined) return;
    yield* phrase.entries;
  }
}

/** Case, accents and spaces do not matter. */
function categoryKey(category: string): string {
  return pathKey(category).replace(/\s+/g, " ");
}

/** How the categories of searches may name the category of a rule: by its path or name, or as the last name of its path. */
function keysOf(category: string): string[] {
  const key = categoryKey(category);
  const [last = "", ...above] = key.split(pathSeparator).reverse();
  return above.length === 0 ? [key] : [key, pathSeparator + last];
}

/**
 * The keys of the rules that act on a category: as a filter does, they name one of its levels, by path or by name. A search
 * for a name alone is one for every path that ends with it.
 */
function namesOf(category: string): string[] {
  const levels = categoryKey(category).split(pathSeparator);
  const names = levels.flatMap((level, i) => [level, levels.slice(0, i + 1).join(pathSeparator)]);
  return levels.length > 1 ? names : [...names, pathSeparator + levels[0]];
}

function push(lists: Map<string, Entry[]>, key: string, entry: Entry): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}
