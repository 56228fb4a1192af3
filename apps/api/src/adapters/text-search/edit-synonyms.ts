import {
  compileSynonyms,
  type ExplainedPhrase,
  explainSynonyms,
  formatSynonym,
  parseSynonyms,
} from "@product-search/text-index";
import type { SynonymStore } from "../../ports/synonym-store.ts";
import { isShipped, rulesInForce } from "./synonym-rules.ts";

export interface ListedSynonym {
  rule: string;
  /** Comes with the service; else it was added. */
  isShipped: boolean;
}

export interface SynonymEditor {
  /** The rules in force, in alphabetical order. */
  list(): Promise<ListedSynonym[]>;
  /** Adds the rules of a text, one on a line, and gives back those that are new. Throws when a line is no rule. */
  add(text: string): Promise<string[]>;
  /** False when there is no such rule. */
  remove(line: string): Promise<boolean>;
  /** The phrases of a query that have synonyms. */
  explain(query: string): Promise<ExplainedPhrase[]>;
}

export function createSynonymEditor(store: SynonymStore): SynonymEditor {
  const linesInForce = async () => rulesInForce(await store.edits());
  return {
    async list() {
      const lines = [...(await linesInForce()).keys()].toSorted();
      return lines.map((rule) => ({ rule, isShipped: isShipped(rule) }));
    },

    async add(text) {
      const known = await linesInForce();
      const lines = parseSynonyms(text).map(formatSynonym);
      const fresh = [...new Set(lines)].filter((line) => !known.has(line));
      if (fresh.length > 0) await store.put(fresh, "added");
      return fresh;
    },

    async remove(line) {
      const [rule] = parseSynonyms(line);
      const wanted = rule === undefined ? "" : formatSynonym(rule);
      if (!(await linesInForce()).has(wanted)) return false;
      await store.put([wanted], "removed");
      return true;
    },

    async explain(query) {
      const rules = await linesInForce();
      return explainSynonyms(compileSynonyms(rules.values()), query);
    },
  };
}
