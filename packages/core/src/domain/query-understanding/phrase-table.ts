import { giveWay } from "../../mechanisms/fair-queue.ts";
import type { Constraints } from "./constraints.ts";

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

/** Replaces every match of the phrase by its mark. */
export function markPhrase<Said extends Meaning>(
  { traced, meanings }: MarkedText<Said>,
  { pattern, read }: Phrase<Said>,
  context: PhraseContext = inWhole,
): MarkedText<Said> {
  const added = [...meanings];
  const rewritten = rewrite(traced, pattern, (match) => {
    const meaning = read(match, context);
    return meaning === undefined ? undefined : ` ${mark(added.push(meaning) - 1)} `;
  });
  return { traced: rewritten, meanings: added };
}

const pieceMs = 2;

/**
 * Replaces every match of the table by its mark, row by row. A thread compiles a pattern when it first uses it, once for plain
 * text and once for other text: a table takes 50 ms then, so that others have their turn between its rows.
 */
export async function markPhrases<Said extends Meaning>(
  marked: MarkedText<Said>,
  table: readonly Phrase<Said>[],
  context?: PhraseContext,
): Promise<MarkedText<Said>> {
  let startMs = performance.now();
  let current = marked;
  for (const row of table) {
    current = markPhrase(current, row, context);
    if (performance.now() - startMs < pieceMs) continue;
    await giveWay();
    startMs = performance.now();
  }
  return current;
}

export const markPattern = /⟦(\d+)⟧/g;

function mark(index: number): string {
  return `⟦${index}⟧`;
}

/**
 * A text that is rewritten step by step. For each of its characters it knows the part of the source that it comes
 * from.
 */
export interface TracedText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** `text` is the source, or the source in another letter case of the same length. */
export function traceText(text: string): TracedText {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  return { text, starts, ends: starts.map((start) => start + 1) };
}

/** Replaces the matches of the global pattern. If `replace` returns undefined, the match stays. */
export function rewrite(
  traced: TracedText,
  pattern: RegExp,
  replace: (match: RegExpExecArray) => string | undefined,
): TracedText {
  const pieces: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let read = 0;
  const copyUntil = (end: number): void => {
    pieces.push(traced.text.slice(read, end));
    for (let index = read; index < end; index++) {
      starts.push(traced.starts[index] ?? 0);
      ends.push(traced.ends[index] ?? 0);
    }
  };
  for (const match of traced.text.matchAll(pattern)) {
    const replacement = replace(match);
    if (replacement === undefined) continue;
    copyUntil(match.index);
    read = match.index + match[0].length;
    pieces.push(replacement);
    for (let index = 0; index < replacement.length; index++) {
      starts.push(traced.starts[match.index] ?? 0);
      ends.push(traced.ends[read - 1] ?? 0);
    }
  }
  if (pieces.length === 0) return traced;
  copyUntil(traced.text.length);
  return { text: pieces.join(""), starts, ends };
}

/** Words or phrases by language. */
export type WordsByLanguage = Readonly<Record<string, readonly string[]>>;

/**
 * A letter or digit of any script, as "anything but space and punctuation". Such patterns compile a hundred times
 * faster than with \p{L}.
 */
const marks = "\\s!-\\/:-@\\[-`{-~¤⟦⟧≈≤≥“”„«»€£¥₹₺₩";
export const letter = `[^${marks}]`;
export const letterButNoDigit = `[^\\d${marks}]`;

/** A pattern that matches any of the words, but not inside a longer word. */
export function alternation(...lists: readonly (WordsByLanguage | readonly string[])[]): string {
  const words = [...new Set(lists.flatMap((list) => Object.values(list).flat()))];
  const isWord = new RegExp(letter);
  const signs = words.filter((word) => !isWord.test(word));
  const others = words.filter((word) => isWord.test(word));
  const parts = [
    ...(others.length > 0
      ? [`(?<!${letter})(?:${maxFirstLength(others)})(?:(?<!${letter})|(?!${letter}))`]
      : []),
    ...(signs.length > 0 ? [maxFirstLength(signs)] : []),
  ];
  return `(?:${parts.join("|")})`;
}

function maxFirstLength(words: readonly string[]): string {
  return words
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"))
    .join("|");
}
