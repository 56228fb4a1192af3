import { fillerWords, foreignFillers, prepositions } from "./phrases/grammar-words.ts";
import { marksIn } from "./request-meaning.ts";

const token = /⟦\d+⟧|[\p{L}\p{N}][\p{L}\p{N}\p{M}'.+&-]*/gu;

/** The beginning of a marked request, and the first word that was left out. */
export interface LimitedText {
  text: string;
  from?: string;
}

/**
 * The beginning of a marked request with so many words that describe things. Marks after it are kept: a price limit holds
 * wherever it is written.
 */
export function limitWords(text: string, most: number): LimitedText {
  let count = 0;
  for (const { 0: piece, index } of text.matchAll(token)) {
    if (piece.startsWith("⟦") || isGrammar(piece)) continue;
    count += 1;
    if (count > most) return { text: withMarksOf(text.slice(0, index), text.slice(index)), from: piece };
  }
  return { text };
}

/** A text, followed by the marks of another one that is left out. */
export function withMarksOf(text: string, other: string): string {
  return [text, ...marksIn(other).map((mark) => `⟦${mark}⟧`)].join(" ");
}

function isGrammar(word: string): boolean {
  return fillerWords.has(word) || foreignFillers.has(word) || prepositions.has(word);
}
