import { type StringTable, stringAt, stringCount } from "../segment/string-table.ts";

/** Which strings of a table have the same key: most tables have none, and then nothing has to be added up. */
export interface Variants {
  /** Of at least two strings each, in the order of their texts. */
  readonly sets: ReadonlyArray<readonly number[]>;
  /** Those with the key, ascending. */
  numbersOf(key: string): number[];
}

interface TextsOfTable {
  /** The same for names that differ only in case and accents; of an ASCII text nothing but lower case and fewer spaces. */
  keyOf(text: string): string;
  /** The order of variants. */
  compare(one: string, other: string): number;
}

// A hash and the number of its string in one number, which sorts by both: no string is decoded, unless another one has its hash.
const numberBits = 2 ** 25;
const hashMask = 2 ** 28 - 1;

export function findVariants(table: StringTable, { keyOf, compare }: TextsOfTable): Variants {
  const hashed = Float64Array.from(
    { length: stringCount(table) },
    (_, number) => hashAt(table, number, keyOf) * numberBits + number,
  ).sort();
  const keyAt = (number: number) => keyOf(stringAt(table, number));
  const sets: number[][] = [];
  for (let from = 0, to = 1; from < hashed.length; from = to++) {
    const hash = hashOf(hashed[from]);
    while (to < hashed.length && hashOf(hashed[to]) === hash) to++;
    if (to - from === 1) continue;
    const byKey = Map.groupBy(Array.from(hashed.subarray(from, to), numberOf), keyAt);
    for (const numbers of byKey.values())
      if (numbers.length > 1)
        sets.push(numbers.sort((a, b) => compare(stringAt(table, a), stringAt(table, b)) || a - b));
  }
  return {
    sets,
    numbersOf: (key) => {
      const hash = hashOfText(key);
      const numbers: number[] = [];
      for (let at = firstOf(hashed, hash * numberBits); hashOf(hashed[at]) === hash; at++) {
        const number = numberOf(hashed[at]);
        if (keyAt(number) === key) numbers.push(number);
      }
      return numbers;
    },
  };
}

function hashOf(hashed: number | undefined): number {
  return Math.floor((hashed ?? Number.NaN) / numberBits);
}

function numberOf(hashed = 0): number {
  return hashed % numberBits;
}

function firstOf(hashed: Float64Array, least: number): number {
  let low = 0;
  let high = hashed.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((hashed[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

const hashStart = 0x811c9dc5;

/** Spaces do not count: keys are trimmed. */
function mixed(hash: number, unit: number): number {
  return unit <= 0x20 ? hash : Math.imul(hash ^ unit, 0x01000193);
}

/** An inner loop. The hash of the string's key. */
function hashAt(table: StringTable, number: number, keyOf: TextsOfTable["keyOf"]): number {
  const { offsets, bytes } = table;
  const end = offsets[number + 1] ?? 0;
  let hash = hashStart;
  for (let at = offsets[number] ?? 0; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x80) return hashOfText(keyOf(stringAt(table, number)));
    hash = mixed(hash, byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);
  }
  return hash & hashMask;
}

function hashOfText(key: string): number {
  let hash = hashStart;
  for (let at = 0; at < key.length; at++) hash = mixed(hash, key.charCodeAt(at));
  return hash & hashMask;
}

const joinedOf = new WeakMap<Uint32Array, Uint32Array>();

/** Counts by number, those of variants added up at the first that occurs. Kept as long as the counts. */
export function joinVariants(counts: Uint32Array, sets: Variants["sets"]): Uint32Array {
  if (sets.length === 0) return counts;
  const known = joinedOf.get(counts);
  if (known !== undefined) return known;
  const joined = counts.slice();
  for (const numbers of sets) {
    const sum = numbers.reduce((total, number) => total + (counts[number] ?? 0), 0);
    const shown = numbers.find((number) => (counts[number] ?? 0) > 0);
    for (const number of numbers) joined[number] = number === shown ? sum : 0;
  }
  joinedOf.set(counts, joined);
  return joined;
}
