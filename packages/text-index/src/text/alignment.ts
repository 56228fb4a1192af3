export const maxLetters = 128;
// Shared by all comparisons: each one fills them again, and thousands of words are compared.
const letters = new Uint32Array(maxLetters);
const rowA = new Uint8Array(maxLetters + 1);
const rowB = new Uint8Array(maxLetters + 1);
const rowC = new Uint8Array(maxLetters + 1);

/** Reads at most `most` letters of a word in UTF-8, for the next `align`. Returns their number. */
export function readBytes(bytes: Uint8Array, start: number, end: number, most: number): number {
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
export function readString(word: string, most: number): number {
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
export function align(from: readonly number[], length: number, limit: number): Uint8Array | undefined {
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
