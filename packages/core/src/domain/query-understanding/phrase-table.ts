import type { Constraints } from "./constraints.ts";
import { rewrite, type TracedText } from "./traced-text.ts";

/** The meaning of a phrase. */
export interface Meaning {
  constraints?: Constraints;
  /** A quoted part of the text: its words are searched for, whatever they mean. */
  quoted?: string;
}

/** A row of a phrase table: the pattern, and its meaning (undefined if the match has none after all). */
export interface Phrase<Said extends Meaning = Meaning> {
  pattern: RegExp;
  read: (match: RegExpExecArray, context: PhraseContext) => Said | undefined;
}

export interface PhraseContext {
  toMinor: (amount: number) => number;
}

const inWhole: PhraseContext = { toMinor: (amount) => amount };

/** A text in which every recognised phrase is replaced by a mark, "⟦3⟧", at its position. */
export interface MarkedText<Said extends Meaning = Meaning> {
  traced: TracedText;
  meanings: readonly Said[];
}

export function phrase<Said extends Meaning = Meaning>(
  source: string,
  read: Phrase<Said>["read"],
): Phrase<Said> {
  return { pattern: new RegExp(source, "g"), read };
}

/** Replaces every match of the table by its mark, row by row. */
export function markPhrases<Said extends Meaning>(
  marked: MarkedText<Said>,
  table: readonly Phrase<Said>[],
  context: PhraseContext = inWhole,
): MarkedText<Said> {
  const meanings = [...marked.meanings];
  let { traced } = marked;
  for (const { pattern, read } of table) {
    traced = rewrite(traced, pattern, (match) => {
      const meaning = read(match, context);
      return meaning === undefined ? undefined : ` ${mark(meanings.push(meaning) - 1)} `;
    });
  }
  return { traced, meanings };
}

export const markPattern = /⟦(\d+)⟧/g;

function mark(index: number): string {
  return `⟦${index}⟧`;
}
