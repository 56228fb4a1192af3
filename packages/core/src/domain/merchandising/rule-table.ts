import type { StoredRule } from "../../ports/rule-store.ts";
import { fold } from "../fold.ts";

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
  /** Those that are enabled and within their time, in their order. */
  find(search: RuledSearch, nowMs: number): readonly StoredRule[];
}

const notWords = /[^\p{L}\p{N}]+/gu;

interface Entry {
  readonly place: number;
  readonly rule: StoredRule;
  /** Of `when.query`. */
  readonly words: readonly string[];
  readonly categories: ReadonlySet<string> | undefined;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** In the order of the rules. A search looks up its text, its words and its categories: it reads no other rule. */
export function createRuleTable(rules: readonly StoredRule[], version?: string): RuleTable {
  const byText = new Map<string, Entry[]>();
  const byFirstWord = new Map<string, Entry[]>();
  const byCategory = new Map<string, Entry[]>();
  rules.forEach((rule, place) => {
    const { enabled = true, when, from, until } = rule.definition;
    if (!enabled) return;
    const words = wordsOf(when.query ?? "");
    const categories = when.categories && new Set(when.categories.map(fold));
    const entry: Entry = {
      place,
      rule,
      words,
      categories,
      fromMs: from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from),
      untilMs: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
    };
    const [first] = words;
    if (when.query === undefined) for (const category of categories ?? []) push(byCategory, category, entry);
    else if (when.match !== "contains") push(byText, words.join(" "), entry);
    else if (first !== undefined) push(byFirstWord, first, entry);
  });

  return {
    version,
    find({ text, categories }, nowMs) {
      const words = wordsOf(text);
      const folded = categories.map(fold);
      const found = new Set<Entry>();
      if (words.length > 0) for (const entry of byText.get(words.join(" ")) ?? []) found.add(entry);
      words.forEach((word, at) => {
        for (const entry of byFirstWord.get(word) ?? []) if (isAt(words, at, entry.words)) found.add(entry);
      });
      for (const category of folded) for (const entry of byCategory.get(category) ?? []) found.add(entry);
      if (found.size === 0) return [];
      return [...found]
        .filter((entry) => entry.fromMs <= nowMs && nowMs <= entry.untilMs && isIn(entry.categories, folded))
        .sort((one, other) => one.place - other.place)
        .map(({ rule }) => rule);
    },
  };
}

export const noRules: RuleTable = createRuleTable([]);

/** The words of a text without case, accents and punctuation. */
function wordsOf(text: string): string[] {
  return fold(text)
    .split(notWords)
    .filter((word) => word !== "");
}

function isAt(words: readonly string[], at: number, phrase: readonly string[]): boolean {
  return phrase.every((word, i) => words[at + i] === word);
}

function isIn(names: ReadonlySet<string> | undefined, categories: readonly string[]): boolean {
  return names === undefined || categories.some((category) => names.has(category));
}

function push(lists: Map<string, Entry[]>, key: string, entry: Entry): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}
