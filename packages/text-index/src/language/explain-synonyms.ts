import { termOf } from "../text/term.ts";
import { tokenize } from "../text/tokenize.ts";
import type { SynonymTable } from "./synonyms.ts";

/** A phrase of a query, and what it finds beside itself. */
export interface ExplainedPhrase {
  readonly phrase: string;
  readonly alsoFinds: readonly string[];
}

/** The longest phrases of a query that have synonyms, whatever the catalog has of them. */
export function explainSynonyms(table: SynonymTable, query: string): ExplainedPhrase[] {
  const words = tokenize(query, "query");
  const terms = words.map(termOf);
  const explained: ExplainedPhrase[] = [];
  for (let at = 0; at < words.length; ) {
    const [longest] = table.find(terms, at);
    if (longest !== undefined) {
      const phrase = words.slice(at, at + longest.length).join(" ");
      explained.push({ phrase, alsoFinds: longest.targets.map((target) => target.phrase) });
    }
    at += longest?.length ?? 1;
  }
  return explained;
}
