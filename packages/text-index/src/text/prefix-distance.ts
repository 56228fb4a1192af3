const maxWidth = 64;

/**
 * The number of letters to insert, remove, change or swap with their neighbour to get from the typed text to the
 * nearest beginning of a word (optimal string alignment against all prefixes at once).
 */
export class PrefixDistance {
  readonly #typed: readonly number[];
  readonly #limit: number;
  readonly #word = new Uint32Array(maxWidth);
  #row = new Uint8Array(maxWidth + 1);
  #last = new Uint8Array(maxWidth + 1);
  #beforeLast = new Uint8Array(maxWidth + 1);

  constructor(typed: string, limit: number) {
    this.#typed = Array.from(typed, (letter) => letter.codePointAt(0) ?? 0).slice(0, maxWidth);
    this.#limit = limit;
  }

  /** `limit + 1` if the distance to every beginning is more than `limit`. */
  to(word: string): number {
    let length = 0;
    // Letters further back cannot be in a beginning that is near enough.
    const most = Math.min(maxWidth, this.#typed.length + this.#limit);
    for (const letter of word) {
      if (length === most) break;
      this.#word[length++] = letter.codePointAt(0) ?? 0;
    }
    return this.#compare(length);
  }

  /** Distance to a word in UTF-8. */
  toBytes(bytes: Uint8Array, start: number, end: number): number {
    const most = Math.min(maxWidth, this.#typed.length + this.#limit);
    let length = 0;
    for (let at = start; at < end && length < most; length++) {
      const first = bytes[at++] ?? 0;
      let letter = first < 0x80 ? first : first & (first < 0xe0 ? 0x1f : first < 0xf0 ? 0x0f : 0x07);
      while (at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80)
        letter = (letter << 6) | ((bytes[at++] ?? 0) & 0x3f);
      this.#word[length] = letter;
    }
    return this.#compare(length);
  }

  #compare(length: number): number {
    const typed = this.#typed;
    const word = this.#word;
    const tooFar = this.#limit + 1;
    for (let j = 0; j <= length; j++) this.#last[j] = j;
    for (let i = 1; i <= typed.length; i++) {
      const row = this.#row;
      const last = this.#last;
      const before = this.#beforeLast;
      row[0] = i;
      let least = i;
      for (let j = 1; j <= length; j++) {
        const same = typed[i - 1] === word[j - 1];
        let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
        if (i > 1 && j > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1])
          cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
        row[j] = cost;
        least = Math.min(least, cost);
      }
      if (least > this.#limit) return tooFar;
      this.#row = before;
      this.#beforeLast = last;
      this.#last = row;
    }
    let nearest = tooFar;
    for (let j = 0; j <= length; j++) nearest = Math.min(nearest, this.#last[j] ?? tooFar);
    return nearest;
  }
}
