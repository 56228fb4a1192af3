import { ApiError } from "@product-search/core/errors.ts";
import type {
  SaveSynonyms,
  SynonymChanges,
  SynonymEdit,
  SynonymEditor,
  SynonymStore,
} from "@product-search/core/ports/merchandising.ts";
import {
  compileSynonyms,
  type ExplainedPhrase,
  english,
  explainSynonyms,
  formatSynonym,
  type Language,
  type Languages,
  maxSynonymWords,
  parseSynonyms,
  queryTerms,
  type SynonymRule,
} from "@product-search/text-index";
import {
  compileRules,
  effectiveRules,
  includedRules,
  noChanges,
  type Rules,
  rulesByLine,
} from "./follow-synonyms.ts";

/** Each thread compiles all rules after a change, so their number is limited. */
const maxAddedRules = 2000;

/** A query looks up every synonym of its words. */
const maxSynonyms = 50;

const maxCharacters = 100;

const maxTextLength = 1_000_000;

export interface ExplainingSynonymEditor extends SynonymEditor {
  /** The phrases of a query that have synonyms. */
  explain(query: string): Promise<ExplainedPhrase[]>;
}

/** How often a change is attempted while other processes make theirs. */
const maxAttempts = 10;

export function createSynonymEditor(
  store: Pick<SynonymStore, "read">,
  readLanguages: () => Promise<Languages> = async () => [english],
): ExplainingSynonymEditor {
  const read = async () => (await store.read()) ?? noChanges;
  return {
    async list() {
      const languages = await readLanguages();
      const { added, removed } = await read();
      const rules = new Map<string, "included" | "added" | "removed">();
      for (const rule of allIncluded(languages)) rules.set(rule, "included");
      for (const rule of removed) if (rules.has(rule)) rules.set(rule, "removed");
      for (const rule of added) rules.set(rule, "added");
      return [...rules].map(([rule, origin]) => ({ rule, origin })).toSorted(byRule);
    },
    async add(text, save) {
      const languages = await readLanguages();
      const edit = await change(store, save, (changes) => added(changes, text, languages));
      const own = new Set(edit.changes.added);
      const rules = [...readRules(text).keys()].map(
        (rule) => ({ rule, origin: own.has(rule) ? "added" : "included" }) as const,
      );
      return { added: [...edit.added], rules };
    },
    async remove(line, save) {
      const languages = await readLanguages();
      const edit = await change(store, save, (changes) => removed(changes, line, languages));
      return edit.removed.join("\n");
    },
    async explain(query) {
      const changes = await read();
      return (await readLanguages()).flatMap((language) => {
        const table = compileRules(effectiveRules(changes, language), language);
        return explainSynonyms(table, query, language.termOf);
      });
    },
  };
}

type Edited = Omit<SynonymEdit, "former">;

async function change(
  store: Pick<SynonymStore, "read">,
  save: SaveSynonyms,
  edit: (changes: SynonymChanges) => Edited,
): Promise<Edited> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const stored = await store.read();
    const edited = edit(stored ?? noChanges);
    if (edited.added.length === 0 && edited.removed.length === 0) return edited;
    if (await save({ ...edited, former: stored?.version })) return edited;
  }
  throw new ApiError(
    "unavailable",
    "The synonyms were not changed, because others change them at the same time. Try again.",
    { retryAfterSeconds: 1 },
  );
}

/** The lines of the included rules of all languages. */
function allIncluded(languages: Languages): ReadonlySet<string> {
  return new Set(languages.flatMap((language) => [...includedRules(language).keys()]));
}

function allEffective(changes: SynonymChanges, languages: Languages): Rules {
  return new Map(languages.flatMap((language) => [...effectiveRules(changes, language)]));
}

function added(changes: SynonymChanges, text: string, languages: Languages): Edited {
  const known = allEffective(changes, languages);
  const rules = new Map([...readRules(text)].filter(([line]) => !known.has(line)));
  const included = allIncluded(languages);
  const own = [...rules.keys()].filter((line) => !included.has(line));
  const next = {
    added: [...changes.added, ...own],
    removed: changes.removed.filter((line) => !rules.has(line)),
  };
  if (next.added.length > maxAddedRules) {
    throw new ApiError(
      "rule_limit_reached",
      `The rules were not added: there would be ${next.added.length} added rules, and at most ${maxAddedRules} are allowed. ` +
        "Remove some, or import fewer.",
    );
  }
  for (const language of languages) checkSynonymCount(effectiveRules(next, language), rules, language);
  return { changes: next, added: [...rules.keys()], removed: [] };
}

function removed(changes: SynonymChanges, text: string, languages: Languages): Edited {
  const [rule, more] = parseRules(text);
  if (rule === undefined || more !== undefined)
    throw new ApiError("invalid_request", 'Write one rule to remove, such as "couch, sofa".');
  const line = formatSynonym(rule);
  const known = allEffective(changes, languages);
  if (!known.has(line)) {
    const similar = [...known].filter(([, { from }]) => from.some((phrase) => rule.from.includes(phrase)));
    const hint = similar.map(([other]) => ` "${other}"`).slice(0, 5);
    const remedy = hint.length > 0 ? `Similar rules:${hint}.` : "List the synonyms to see all rules.";
    throw new ApiError("rule_not_found", `There is no rule "${excerpt(line)}". ${remedy}`);
  }
  const isIncluded = allIncluded(languages).has(line);
  return {
    changes: {
      added: changes.added.filter((other) => other !== line),
      removed: isIncluded ? [...changes.removed, line] : changes.removed,
    },
    added: [],
    removed: [line],
  };
}

function parseRules(text: string): SynonymRule[] {
  try {
    return parseSynonyms(text);
  } catch (error) {
    throw new ApiError("invalid_request", error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}

function byRule(one: { rule: string }, other: { rule: string }): number {
  return one.rule < other.rule ? -1 : 1;
}

/** Reads rules, one per line. Throws if a line is not a rule, or if a rule would have no effect. */
function readRules(text: string): Rules {
  if (text.length > maxTextLength) {
    const fault = `The rules have ${text.length} characters, and at most ${maxTextLength} are allowed.`;
    throw new ApiError("invalid_request", `${fault} Import fewer.`);
  }
  const rules = rulesByLine(parseRules(text));
  for (const [line, rule] of rules) checkRule(line, rule);
  return rules;
}

function checkRule(line: string, rule: SynonymRule): void {
  const phrases = [...rule.from, ...rule.to];
  const long = phrases.find(isTooLong);
  if (long !== undefined) {
    const limit = `more than ${maxSynonymWords} words or ${maxCharacters} characters`;
    refuse(line, `"${excerpt(long)}" has ${limit}. Shorten it.`);
  }
  if (rule.from.length > maxSynonyms) {
    refuse(
      line,
      `it has ${rule.from.length} phrases, and at most ${maxSynonyms} are allowed. Write several rules.`,
    );
  }
  const own = compileSynonyms([rule]);
  if (rule.from.some((phrase) => explainSynonyms(own, phrase).length > 0)) return;
  refuse(
    line,
    "it has no effect, because one phrase contains the other. Write phrases with different words.",
  );
}

function isTooLong(phrase: string): boolean {
  return phrase.length > maxCharacters || queryTerms(phrase).length > maxSynonymWords;
}

/** Throws if the effective rules of a language give a phrase of the new ones too many synonyms. */
function checkSynonymCount(effective: Rules, fresh: Rules, language: Language): void {
  const table = compileRules(effective, language);
  for (const [line, { from }] of fresh) {
    for (const { phrase, synonyms } of from.flatMap((text) =>
      explainSynonyms(table, text, language.termOf),
    )) {
      if (synonyms.length <= maxSynonyms) continue;
      const count = `"${phrase}" would have ${synonyms.length} synonyms, and at most ${maxSynonyms} are allowed.`;
      refuse(line, `${count} Remove some.`);
    }
  }
}

function refuse(line: string, fault: string): never {
  throw new ApiError("invalid_request", `The rule "${excerpt(line)}" was not added: ${fault}`);
}

function excerpt(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
