const maxWidth = 128;
// Shared by all comparisons: each one fills them again, and thousands of words are compared.
const letters = new Uint32Array(maxWidth);
const rowA = new Uint8Array(maxWidth + 1);
const rowB = new Uint8Array(maxWidth + 1);
const rowC = new Uint8Array(maxWidth + 1);

/**
 * The number of letters to insert, remove, change or swap with their neighbour to get from one word to others
 * (optimal string alignment), up to `limit`.
 */
export class EditDistance {
  readonly #from: readonly number[];
  readonly #limit: number;

  constructor(from: readonly number[], limit: number) {
    this.#from = from.slice(0, maxWidth);
    this.#limit = limit;
  }

  /** Distance to a word in UTF-8; `limit + 1` if it is more than `limit`. */
  toBytes(bytes: Uint8Array, start: number, end: number): number {
    let length = 0;
    for (let at = start; at < end && length < maxWidth; length++) {
      const first = bytes[at++] ?? 0;
      let letter = first < 0x80 ? first : first & (first < 0xe0 ? 0x1f : first < 0xf0 ? 0x0f : 0x07);
      while (at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80)
        letter = (letter << 6) | ((bytes[at++] ?? 0) & 0x3f);
      letters[length] = letter;
    }
    return this.#compare(length);
  }

  #compare(length: number): number {
    const from = this.#from;
    const to = letters;
    const tooFar = this.#limit + 1;
    if (Math.abs(from.length - length) > this.#limit) return tooFar;
    let row = rowA;
    let last = rowB;
    let before = rowC;
    for (let j = 0; j <= length; j++) last[j] = j;
    for (let i = 1; i <= from.length; i++) {
      row[0] = i;
      let least = i;
      for (let j = 1; j <= length; j++) {
        const same = from[i - 1] === to[j - 1];
        let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
        if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
          cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
        }
        row[j] = cost;
        least = Math.min(least, cost);
      }
      if (least > this.#limit) return tooFar;
      const free = before;
      before = last;
      last = row;
      row = free;
    }
    return Math.min(last[length] ?? 0, tooFar);
  }
}

/** Distance between two short texts; `limit + 1` if it is more than `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  const letters = Array.from(a, (letter) => letter.codePointAt(0) ?? 0);
  const bytes = new TextEncoder().encode(b);
  return new EditDistance(letters, limit).toBytes(bytes, 0, bytes.length);
}
