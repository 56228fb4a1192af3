import {
  compileSynonyms,
  englishSynonyms,
  formatSynonym,
  parseSynonyms,
  type SynonymRule,
  type SynonymTable,
} from "@product-search/text-index";
import type { SynonymChanges } from "../../../ports/synonym-store.ts";

/** Rules by their lines. */
export type Rules = ReadonlyMap<string, SynonymRule>;

export const noChanges: SynonymChanges = { added: [], removed: [] };

let included: Rules | undefined;

/** Parsed on first use: a service without changes does not need the lines. */
export function includedRules(): Rules {
  included ??= rulesByLine(parseSynonyms(englishSynonyms));
  return included;
}

export function rulesByLine(rules: readonly SynonymRule[]): Rules {
  return new Map(rules.map((rule) => [formatSynonym(rule), rule]));
}

/** The included rules that were not removed, and the added ones. */
export function effectiveRules({ added, removed }: SynonymChanges): Rules {
  const rules = new Map(includedRules());
  for (const line of removed) rules.delete(line);
  for (const line of added) for (const rule of parseSynonyms(line)) rules.set(line, rule);
  return rules;
}

export function compileRules(rules: Rules): SynonymTable {
  return compileSynonyms(rules.values());
}
