import { englishSynonyms, formatSynonym, parseSynonyms, type SynonymRule } from "@product-search/text-index";
import type { SynonymEdits } from "../../ports/synonym-store.ts";

const shipped: ReadonlyMap<string, SynonymRule> = new Map(
  parseSynonyms(englishSynonyms).map((rule) => [formatSynonym(rule), rule]),
);

export function isShipped(line: string): boolean {
  return shipped.has(line);
}

/** The rules in force by their lines: the shipped ones that were not removed, and those that were added. */
export function rulesInForce({
  added,
  removed,
}: Pick<SynonymEdits, "added" | "removed">): Map<string, SynonymRule> {
  const rules = new Map(shipped);
  for (const line of removed) rules.delete(line);
  for (const rule of parseSynonyms(added.join("\n"))) rules.set(formatSynonym(rule), rule);
  return rules;
}
