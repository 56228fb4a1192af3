import { align, maxLetters, readBytes, readString } from "./alignment.ts";

/** The distance from one word to others, up to `limit`; `limit + 1` if it is more. */
export class EditDistance {
  readonly #from: readonly number[];
  readonly #limit: number;

  constructor(from: readonly number[], limit: number) {
    this.#from = from.slice(0, maxLetters);
    this.#limit = limit;
  }

  /** Distance to a word in UTF-8. */
  toBytes(bytes: Uint8Array, start: number, end: number): number {
    return this.#toLetters(readBytes(bytes, start, end, maxLetters));
  }

  to(word: string): number {
    return this.#toLetters(readString(word, maxLetters));
  }

  #toLetters(length: number): number {
    const tooFar = this.#limit + 1;
    if (Math.abs(this.#from.length - length) > this.#limit) return tooFar;
    const distances = align(this.#from, length, this.#limit);
    return Math.min(distances?.[length] ?? tooFar, tooFar);
  }
}

/** Distance between two short texts; `limit + 1` if it is more than `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  const letters = Array.from(a, (letter) => letter.codePointAt(0) ?? 0);
  return new EditDistance(letters, limit).to(b);
}
