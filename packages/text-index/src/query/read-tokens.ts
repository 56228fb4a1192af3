import type { Language } from "../language/language.ts";
import { fold } from "../text/fold.ts";
import { findGroups, type Group } from "../text/groups.ts";
import { tokenize } from "../text/tokenize.ts";

/** A unit of a query that is searched for as one: a word, or a group of words with one meaning ("2 x 4"). */
export interface QueryToken {
  /** As typed, folded. */
  readonly typed: string;
  /** Its words: one, except in groups. */
  readonly words: readonly string[];
  /** The terms of the whole group in documents, also of a unit; empty for single words. */
  readonly groupTerms: readonly string[];
  readonly kind: "word" | "unit" | Group["kind"];
}

/** The different tokens of a query. */
export function readTokens(
  text: string,
  { prepare, termOf }: Pick<Language, "prepare" | "termOf">,
): QueryToken[] {
  const folded = fold(prepare?.(text) ?? text);
  const tokens: QueryToken[] = [];
  let last = 0;
  for (const group of findGroups(folded, termOf)) {
    // The parts of a hyphenated word are found separately and joined, like any two adjacent words.
    if (group.kind === "hyphenated") continue;
    tokens.push(...plainTokens(folded.slice(last, group.start), "word"), ...groupTokens(folded, group));
    last = group.end;
  }
  tokens.push(...plainTokens(folded.slice(last), "word"));
  return [...new Map(tokens.map((token) => [token.typed, token])).values()];
}

function plainTokens(text: string, kind: "word" | "unit", groupTerms: readonly string[] = []): QueryToken[] {
  return tokenize(text, "query").map((word) => ({ typed: word, words: [word], groupTerms, kind }));
}

/** An amount is split into number and unit: a document with only the number is better than none. */
function groupTokens(folded: string, { kind, start, end, unitStart, terms }: Group): QueryToken[] {
  const typed = folded.slice(start, unitStart).trim();
  const words = tokenize(typed, "query");
  // The inch sign is a word only after its number.
  const unit = tokenize(folded.slice(start, end), "query").slice(words.length).join(" ");
  return [{ typed, words, groupTerms: terms, kind }, ...plainTokens(unit, "unit", terms)];
}
