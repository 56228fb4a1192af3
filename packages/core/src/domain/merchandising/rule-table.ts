import { type Languages, pathKey, pathSeparator, queryTerms } from "@product-search/text-index";
import type { StoredRule } from "../../ports/merchandising.ts";
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

/** Rules that have the same text: those for any category, and the others by the keys of theirs. */
interface Entries {
  readonly ofAny: Entry[];
  readonly ofCategory: Map<string, Entry[]>;
}

/** The rules whose phrase ends here, and the next words of longer phrases. */
interface Phrase {
  readonly entries: Entries;
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
  const byText = new Map<string, Entries>();
  const phrases: Phrase = { entries: noEntries(), next: new Map() };
  const ofAnyText = noEntries();
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
        add(
          when.match === "contains" ? entriesOfPhrase(phrases, words) : entriesOfText(byText, words),
          entry,
        );
    } else add(ofAnyText, entry);
  });

  return {
    version,
    rules,
    with: (others, newest) => tableOf(others, newest, languages, knownReadings),
    find({ text, categories }, nowMs) {
      const names = new Set(categories.flatMap(namesOf));
      const found = new Set(entriesFor(ofAnyText, names));
      const readsText = byText.size + phrases.next.size > 0;
      for (const words of readsText ? readings(text, languages) : []) {
        const ofText = byText.get(words.join(" "));
        const lists = [ofText ?? [], ...words.map((_, at) => [...phrasesAt(phrases, words, at)])].flat();
        for (const entries of lists) for (const entry of entriesFor(entries, names)) found.add(entry);
      }
      if (found.size === 0) return [];
      return [...found]
        .filter(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs <= untilMs)
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

function noEntries(): Entries {
  return { ofAny: [], ofCategory: new Map() };
}

function add({ ofAny, ofCategory }: Entries, entry: Entry): void {
  const { categories } = entry.rule.definition.when;
  if (categories === undefined) ofAny.push(entry);
  for (const key of new Set(categories?.flatMap(keysOf))) {
    const list = ofCategory.get(key) ?? [];
    ofCategory.set(key, list);
    list.push(entry);
  }
}

/** Those of a search that is filtered by categories with these names. */
function* entriesFor({ ofAny, ofCategory }: Entries, names: Iterable<string>): Generator<Entry> {
  yield* ofAny;
  for (const name of names) yield* ofCategory.get(name) ?? [];
}

function entriesOfText(byText: Map<string, Entries>, words: readonly string[]): Entries {
  const text = words.join(" ");
  const entries = byText.get(text) ?? noEntries();
  byText.set(text, entries);
  return entries;
}

function entriesOfPhrase(phrases: Phrase, words: readonly string[]): Entries {
  let phrase = phrases;
  for (const word of words) {
    const next = phrase.next.get(word) ?? { entries: noEntries(), next: new Map() };
    phrase.next.set(word, next);
    phrase = next;
  }
  return phrase.entries;
}

/** The rules with a phrase that begins at this word of a text. */
function* phrasesAt(phrases: Phrase, words: readonly string[], from: number): Generator<Entries> {
  let phrase: Phrase | undefined = phrases;
  for (let at = from; at < words.length; at++) {
    phrase = phrase.next.get(words[at] ?? "");
    if (phrase === undefined) return;
    yield phrase.entries;
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
