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

/**
 * The distances from the typed text to the nearest beginning of each of many sorted words, as `PrefixDistance` computes
 * them. Words that begin with the same letters share the work: there is one column of the alignment for each letter of
 * the word, and a column is computed again only from the first letter that differs from the word before.
 */
export class SortedPrefixDistance {
  readonly #typed: readonly number[];
  readonly #limit: number;
  /** Letters further back cannot be in a beginning that is near lettersForSame. */
  readonly #most: number;
  readonly #letters: Uint32Array;
  /** Column by column, the distance from each beginning of the typed text to the first letters of the word. */
  readonly #columns: Uint8Array;
  /** For each column, the distance from the typed text to the nearest beginning up to it. */
  readonly #nearest: Uint8Array;
  /** The last column computed for the word before. */
  #last = 0;
  #isFinal = false;

  constructor(typed: string, limit: number) {
    this.#typed = Array.from(typed, (letter) => letter.codePointAt(0) ?? 0).slice(0, maxLetters);
    this.#limit = limit;
    const length = this.#typed.length;
    this.#most = length + limit;
    this.#letters = new Uint32Array(this.#most);
    this.#columns = new Uint8Array((this.#most + 1) * (length + 1));
    this.#nearest = new Uint8Array(this.#most + 1);
    for (let i = 0; i <= length; i++) this.#columns[i] = i;
    this.#nearest[0] = length;
  }

  /**
   * The distance to the next word, in UTF-8; more than the limit if it is too large. `shared` is the number of letters
   * that it has in common with the word before.
   */
  next(bytes: Uint8Array, start: number, end: number, shared: number): number {
    this.#extend(bytes, start, end, Math.min(shared, this.#last));
    return this.#nearest[this.#last] ?? 0;
  }

  /** Following words that share this many letters, each with the word before it, have the same distance. */
  get lettersForSame(): number {
    return this.#isFinal ? this.#last : Number.POSITIVE_INFINITY;
  }

  #extend(bytes: Uint8Array, start: number, end: number, shared: number): void {
    let column = 0;
    this.#isFinal = false;
    for (let at = start; at < end && column < this.#most && !this.#isFinal; ) {
      const first = bytes[at++] ?? 0;
      let letter = first < 0x80 ? first : first & (first < 0xe0 ? 0x1f : first < 0xf0 ? 0x0f : 0x07);
      while (at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80)
        letter = (letter << 6) | ((bytes[at++] ?? 0) & 0x3f);
      this.#letters[column++] = letter;
      if (column > shared) this.#isFinal = this.#fill(column) > this.#limit || column === this.#most;
    }
    this.#last = column;
  }

  /** Computes a column by optimal string alignment. Returns its least distance, which later columns never go below. */
  #fill(column: number): number {
    const typed = this.#typed;
    const columns = this.#columns;
    const height = typed.length + 1;
    const at = column * height;
    const letter = this.#letters[column - 1];
    const letterBefore = this.#letters[column - 2];
    columns[at] = column;
    let least = column;
    for (let i = 1; i < height; i++) {
      const same = typed[i - 1] === letter;
      const left = at + i - height;
      let cost = Math.min((columns[at + i - 1] ?? 0) + 1, (columns[left] ?? 0) + 1);
      cost = Math.min(cost, (columns[left - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && column > 1 && typed[i - 1] === letterBefore && typed[i - 2] === letter)
        cost = Math.min(cost, (columns[left - height - 2] ?? 0) + 1);
      columns[at + i] = cost;
      least = Math.min(least, cost);
    }
    this.#nearest[column] = Math.min(this.#nearest[column - 1] ?? 0, columns[at + typed.length] ?? 0);
    return least;
  }
}

const maxLetters = 128;
// Shared by all comparisons: each one fills them again, and thousands of words are compared.
const letters = new Uint32Array(maxLetters);
const rowA = new Uint8Array(maxLetters + 1);
const rowB = new Uint8Array(maxLetters + 1);
const rowC = new Uint8Array(maxLetters + 1);

/** Reads at most `most` letters of a word in UTF-8, for the next `align`. Returns their number. */
function readBytes(bytes: Uint8Array, start: number, end: number, most: number): number {
  let length = 0;
  for (let at = start; at < end && length < most; length++) {
    const first = bytes[at++] ?? 0;
    let letter = first < 0x80 ? first : first & (first < 0xe0 ? 0x1f : first < 0xf0 ? 0x0f : 0x07);
    while (at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80)
      letter = (letter << 6) | ((bytes[at++] ?? 0) & 0x3f);
    letters[length] = letter;
  }
  return length;
}

/** The same for a string. */
function readString(word: string, most: number): number {
  let length = 0;
  for (const letter of word) {
    if (length === most) break;
    letters[length++] = letter.codePointAt(0) ?? 0;
  }
  return length;
}

/**
 * Optimal string alignment: the number of letters to insert, remove, change or swap with their neighbour to get from
 * `from` to each beginning of the letters that were read, by the length of the beginning. Undefined if all are more than
 * `limit`. The next call uses the same array.
 */
function align(from: readonly number[], length: number, limit: number): Uint8Array | undefined {
  let row = rowA;
  let last = rowB;
  let before = rowC;
  for (let j = 0; j <= length; j++) last[j] = j;
  for (let i = 1; i <= from.length; i++) {
    row[0] = i;
    let least = i;
    for (let j = 1; j <= length; j++) {
      const same = from[i - 1] === letters[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && from[i - 1] === letters[j - 2] && from[i - 2] === letters[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row[j] = cost;
      least = Math.min(least, cost);
    }
    if (least > limit) return undefined;
    const free = before;
    before = last;
    last = row;
    row = free;
  }
  return last;
}
