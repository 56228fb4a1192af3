import type { SynonymChanges } from "@product-search/core/ports/synonym-store.ts";
import {
  compileSynonyms,
  formatSynonym,
  type Language,
  parseSynonyms,
  type SynonymRule,
  type SynonymTable,
} from "@product-search/text-index";

/** Rules by their lines. */
export type Rules = ReadonlyMap<string, SynonymRule>;

export const noChanges: SynonymChanges = { added: [], removed: [] };

const included = new Map<string, Rules>();

/** Parsed on first use: a service without changes does not need the lines. */
export function includedRules(language: Language): Rules {
  const rules = included.get(language.code) ?? rulesByLine(parseSynonyms(language.synonymRules));
  included.set(language.code, rules);
  return rules;
}

export function rulesByLine(rules: readonly SynonymRule[]): Rules {
  return new Map(rules.map((rule) => [formatSynonym(rule), rule]));
}

/** The included rules of a language that were not removed, and the added ones, which apply in every language. */
export function effectiveRules({ added, removed }: SynonymChanges, language: Language): Rules {
  const rules = new Map(includedRules(language));
  for (const line of removed) rules.delete(line);
  for (const line of added) for (const rule of parseSynonyms(line)) rules.set(line, rule);
  return rules;
}

export function compileRules(rules: Rules, { termOf }: Language): SynonymTable {
  return compileSynonyms(rules.values(), termOf);
}
