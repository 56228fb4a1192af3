import { findText, openWordTable, type WordTable } from "./table.ts";
import { formsOf, wordsOf } from "./words.ts";

/** What words mean, as numbers: texts of a like meaning have vectors of a like direction. */
export interface WordMeaning {
  readonly dimensions: number;
  /** The meaning of these words together, of length 1; undefined if none is known. */
  vectorOf(words: readonly string[]): Float32Array | undefined;
  /** Whether this names something that can be touched: a product, a food, an animal, a plant. */
  isThing(name: string): boolean;
  /** Whether this names one sort of things, unlike "furniture". */
  isBareThing(name: string): boolean;
  /** The numbers of its meanings as a thing, the usual one first. */
  meaningsOf(name: string): ArrayLike<number>;
  /** The numbers of the meanings above these, such as furniture above chair; without its own meanings. */
  meaningsAbove(name: string): readonly number[];
}

/** The shortest part of a compound. */
const leastPart = 3;

/** Opens the buffer of `readWordTable`. */
export function openWordMeaning(buffer: SharedArrayBuffer): WordMeaning {
  const table = openWordTable(buffer);
  return {
    dimensions: table.dimensions,
    vectorOf: (words) => vectorOf(table, words),
    isThing: (name) => meaningsOf(table, name).length > 0,
    isBareThing: (name) => isBare(table, name),
    meaningsOf: (name) => meaningsOf(table, name),
    meaningsAbove: (name) => meaningsAbove(table, name),
  };
}

function vectorOf(table: WordTable, words: readonly string[]): Float32Array | undefined {
  const sum = new Float32Array(table.dimensions);
  let isKnown = false;
  for (const word of words)
    for (const row of rowsOf(table, word)) {
      isKnown = true;
      addRow(table, row, sum);
    }
  return isKnown ? normalise(sum) : undefined;
}

/** The rows of a word; of both parts of a compound that is not in the table ("smart" and "lock"). */
function rowsOf(table: WordTable, word: string): readonly number[] {
  const row = rowOf(table, word);
  if (row >= 0) return [row];
  let best: readonly number[] = [];
  let longest = 0;
  for (let at = leastPart; at <= word.length - leastPart; at++) {
    // The longer the shorter part, the less likely it is there by chance.
    const shorter = Math.min(at, word.length - at);
    if (shorter <= longest) continue;
    const [first, second] = [rowOf(table, word.slice(0, at)), rowOf(table, word.slice(at))];
    if (first < 0 || second < 0) continue;
    best = [first, second];
    longest = shorter;
  }
  return best;
}

function rowOf({ sections: { wordStarts, words } }: WordTable, word: string): number {
  for (const form of formsOf(word)) {
    const row = findText(wordStarts, words, form);
    if (row >= 0) return row;
  }
  return -1;
}

function addRow({ dimensions, sections }: WordTable, row: number, sum: Float32Array): void {
  const scale = sections.scales[row] ?? 0;
  const start = row * dimensions;
  for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] ?? 0) + scale * (sections.vectors[start + i] ?? 0);
}

/** Changes the vector to length 1. */
function normalise(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  if (length > 0) for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / length;
  return vector;
}

/** The place of a name or of what it is a plural of; −1 without one. */
function nameOf({ sections: { nameStarts, names } }: WordTable, name: string): number {
  const words = wordsOf(name);
  const last = words.pop();
  if (last === undefined) return -1;
  for (const form of formsOf(last)) {
    const place = findText(nameStarts, names, [...words, form].join(" "));
    if (place >= 0) return place;
  }
  return -1;
}

function meaningsOf(table: WordTable, name: string): Uint16Array {
  const { meaningStarts, meanings } = table.sections;
  const place = nameOf(table, name);
  return meanings.subarray(meaningStarts[place] ?? 0, place < 0 ? 0 : meaningStarts[place + 1]);
}

function isBare(table: WordTable, name: string): boolean {
  const place = nameOf(table, name);
  return place >= 0 && table.sections.bare[place] === 1;
}

function meaningsAbove(table: WordTable, name: string): number[] {
  const { aboveStarts, above } = table.sections;
  const own = meaningsOf(table, name);
  const reached = new Set<number>();
  let level = [...own];
  while (level.length > 0) {
    level = level
      .flatMap((meaning) => [...above.subarray(aboveStarts[meaning] ?? 0, aboveStarts[meaning + 1] ?? 0)])
      .filter((meaning) => !reached.has(meaning));
    for (const meaning of level) reached.add(meaning);
  }
  return [...reached].filter((meaning) => !own.includes(meaning));
}
