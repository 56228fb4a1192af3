import { fold } from "../text/fold.ts";
import { findGroups, type Group } from "../text/groups.ts";
import { tokenize } from "../text/tokenize.ts";

/** A part of a query that is looked for as one: a word, or several that say something only together ("2 x 4"). */
export interface QueryToken {
  /** As it was typed, folded. */
  readonly typed: string;
  /** Its words: one, but in groups. */
  readonly words: readonly string[];
  /** What documents carry for the whole group; empty for single words. */
  readonly groupTerms: readonly string[];
  readonly kind: "word" | "unit" | Group["kind"];
}

/** The tokens of a query, each once. */
export function readTokens(text: string): QueryToken[] {
  const folded = fold(text);
  const tokens: QueryToken[] = [];
  let last = 0;
  for (const group of findGroups(folded)) {
    // Words with a hyphen are found apart and joined, like any two words in a row.
    if (group.kind === "hyphenated") continue;
    tokens.push(...plainTokens(folded.slice(last, group.start), "word"), ...groupTokens(folded, group));
    last = group.end;
  }
  tokens.push(...plainTokens(folded.slice(last), "word"));
  return [...new Map(tokens.map((token) => [token.typed, token])).values()];
}

function plainTokens(text: string, kind: "word" | "unit"): QueryToken[] {
  return tokenize(text, "query").map((word) => ({ typed: word, words: [word], groupTerms: [], kind }));
}

/** An amount gives its number and its unit apart: what has the number only is better than nothing. */
function groupTokens(folded: string, { kind, start, end, unitStart, terms }: Group): QueryToken[] {
  const typed = folded.slice(start, unitStart).trim();
  const words = tokenize(typed, "query");
  // The sign of an inch is a word only behind its number.
  const unit = tokenize(folded.slice(start, end), "query").slice(words.length).join(" ");
  return [{ typed, words, groupTerms: terms, kind }, ...plainTokens(unit, "unit")];
}
