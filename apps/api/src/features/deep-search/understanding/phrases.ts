import type { Constraints, Sorting } from "./understanding.ts";

/** What a phrase of the request says. */
export interface Meaning {
  constraints?: Constraints;
  sorting?: Sorting;
  /** The price bound holds for all wants together. */
  shared?: true;
  /** What is new is wanted: understood, though no product says when it came out. */
  newest?: true;
}

/** A row of a phrase table: what to look for, and what it means (undefined: it only looked like it). */
export interface Phrase {
  pattern: RegExp;
  read: (match: RegExpExecArray, context: PhraseContext) => Meaning | undefined;
}

export interface PhraseContext {
  toMinor: (amount: number) => number;
}

/** A request in which every understood phrase is replaced by a mark, "⟦3⟧", that keeps its place. */
export interface MarkedText {
  text: string;
  meanings: Meaning[];
}

export function phrase(source: string, read: Phrase["read"]): Phrase {
  return { pattern: new RegExp(source, "gu"), read };
}

/** Replaces every phrase of the table, in the table's order, by its mark. */
export function markPhrases(
  marked: MarkedText,
  table: readonly Phrase[],
  context: PhraseContext,
): MarkedText {
  const meanings = [...marked.meanings];
  let { text } = marked;
  for (const row of table) text = markOne(text, row, meanings, context);
  return { text: text.replace(/\s+/g, " ").trim(), meanings };
}

function markOne(
  text: string,
  { pattern, read }: Phrase,
  meanings: Meaning[],
  context: PhraseContext,
): string {
  let done = "";
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const meaning = read(match, context);
    if (meaning === undefined) continue;
    done += `${text.slice(end, match.index)} ${mark(meanings.push(meaning) - 1)} `;
    end = match.index + match[0].length;
  }
  return done + text.slice(end);
}

const mark = (index: number): string => `⟦${index}⟧`;

/** The numbers of the marks in a piece of marked text. */
export function marksIn(text: string): number[] {
  return [...text.matchAll(/⟦(\d+)⟧/g)].map(([, index]) => Number(index));
}

export function withoutMarks(text: string): string {
  return text.replace(/⟦\d+⟧/g, " | ");
}
