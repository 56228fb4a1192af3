import { align, maxLetters, readString } from "./alignment.ts";

/** The distance from the typed text to the nearest beginning of a word, up to `limit`; `limit + 1` if it is more. */
export class PrefixDistance {
  readonly #typed: readonly number[];
  readonly #limit: number;
  /** Letters further back cannot be in a beginning that is near enough. */
  readonly #most: number;

  constructor(typed: string, limit: number) {
    this.#typed = Array.from(typed, (letter) => letter.codePointAt(0) ?? 0).slice(0, maxLetters);
    this.#limit = limit;
    this.#most = Math.min(maxLetters, this.#typed.length + limit);
  }

  to(word: string): number {
    const length = readString(word, this.#most);
    const distances = align(this.#typed, length, this.#limit);
    let nearest = this.#limit + 1;
    if (distances !== undefined)
      for (let j = 0; j <= length; j++) nearest = Math.min(nearest, distances[j] ?? nearest);
    return nearest;
  }
}
