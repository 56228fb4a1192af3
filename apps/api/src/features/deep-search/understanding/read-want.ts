import type { Constraints } from "../../../domain/query-understanding/constraints.ts";
import { mergeConstraints } from "../../../domain/query-understanding/merge-constraints.ts";
import type { TextSearch } from "../../../ports/text-search.ts";
import { contentWords, nounPhrase } from "./noun-phrase.ts";
import { marksIn, type RequestMeaning } from "./request-meaning.ts";
import { comparable } from "./same-word.ts";
import type { Want } from "./understanding.ts";

/** A want, and which of its constraints may hold for other wants of the request too. */
export interface ReadWant extends Want {
  /** Said before the thing: "cheap red tents and mats". */
  leading: Constraints;
  /** Said after it: "tents and mats under 50". */
  trailing: Constraints;
}

/** Reads one part of the request, in which phrases and names are marked already. */
export async function readWant(
  text: string,
  meanings: readonly RequestMeaning[],
  textSearch: TextSearch,
): Promise<ReadWant> {
  const constraintsOf = (part: string): Constraints =>
    marksIn(part)
      .map((mark) => meanings[mark]?.constraints ?? {})
      .reduce(mergeConstraints, {});
  const isBoundary = (mark: number): boolean => !isProperty(meanings[mark]);
  const phrase = nounPhrase(text, isBoundary);
  const category = await categoryOf(phrase, textSearch);
  const start = text.indexOf(phrase[0] ?? "");
  const end = text.lastIndexOf(contentWords(text).at(-1) ?? "");
  const constraints = constraintsOf(text);
  const shared = {
    leading: constraintsOf(text.slice(0, Math.max(0, start))),
    trailing: constraintsOf(text.slice(Math.max(0, end))),
  };
  const words = [...contentWords(text), ...quotedWords(text, meanings)];
  const head = phrase.at(-1);
  if (category === undefined) return { words, ...(head !== undefined && { head }), constraints, ...shared };
  return {
    words: withoutCategory(words, category),
    constraints: mergeConstraints(constraints, { categories: [category] }),
    ...shared,
  };
}

function quotedWords(text: string, meanings: readonly RequestMeaning[]): string[] {
  return marksIn(text).flatMap((mark) => meanings[mark]?.quoted?.split(" ") ?? []);
}

/** Marks that may stand inside a noun phrase: "a wooden black chair", "trail Zephyr shoes". */
function isProperty(meaning: RequestMeaning | undefined): boolean {
  const { constraints = {} } = meaning ?? {};
  return ["colours", "brands"].some((key) => key in constraints) || Object.keys(constraints).length === 0;
}

/** The category that the noun names: "blue table lamp" is in Lamps, "lamp table" is not. */
async function categoryOf(phrase: readonly string[], textSearch: TextSearch): Promise<string | undefined> {
  if (phrase.length === 0) return undefined;
  const text = phrase.join(" ");
  const names = await textSearch.categoriesNamedIn(text);
  return names.find((name) => ` ${comparable(text)}`.endsWith(` ${comparable(name)}`));
}

function withoutCategory(words: readonly string[], category: string): string[] {
  const named = new Set(comparable(category).split(" "));
  return words.filter(
    (word) =>
      !comparable(word)
        .split(" ")
        .every((part) => named.has(part)),
  );
}
