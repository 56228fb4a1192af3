import { termOf as englishTermOf } from "../text/term.ts";
import { tokenize } from "../text/tokenize.ts";
import type { SynonymTable } from "./synonyms.ts";

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
