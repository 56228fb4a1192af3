import type { Segment } from "../segment/segment.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { compareCodePoints, type StringTable, stringAt, stringCount } from "../segment/string-table.ts";
import { nameKey } from "../text/tokenize.ts";

const decodedOf = new WeakMap<Segment, Partial<Record<NameKind, (string | undefined)[]>>>();

/** The name of a segment at an index of the table. */
export function nameAt(segment: Segment, kind: NameKind, index: number): string {
  const kinds = decodedOf.get(segment) ?? {};
  decodedOf.set(segment, kinds);
  kinds[kind] ??= [];
  kinds[kind][index] ??= stringAt(segment[kind], index);
  return kinds[kind][index] ?? "";
}

const variantsOf = new WeakMap<Segment, Partial<Record<NameKind, Variants>>>();

export function nameVariants(segment: Segment, kind: NameKind): Variants {
  const kinds = variantsOf.get(segment) ?? {};
  variantsOf.set(segment, kinds);
  kinds[kind] ??= findVariants(segment[kind], { keyOf: nameKey, compare: compareCodePoints });
  return kinds[kind];
}

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

/** Hashes find the strings that may have one key, without decoding or sorting the others: one pass over the bytes. */
export function findVariants(table: StringTable, { keyOf, compare }: TextsOfTable): Variants {
  const count = stringCount(table);
  const hashes = new Uint32Array(count);
  // The strings of a slot are a chain, ascending. Numbers are one higher, as 0 ends it.
  const slots = new Uint32Array(2 ** Math.floor(Math.log2(Math.max(2, count))));
  const next = new Uint32Array(count);
  const shared = new Set<number>();
  // An inner loop: plain indexing, no closures.
  for (let number = count - 1; number >= 0; number--) {
    const hash = hashAt(table, number, keyOf);
    const slot = slotOf(hash, slots);
    let other = slots[slot] ?? 0;
    next[number] = other;
    slots[slot] = number + 1;
    hashes[number] = hash;
    while (other > 0 && hashes[other - 1] !== hash) other = next[other - 1] ?? 0;
    if (other > 0) shared.add(hash);
  }
  const keyAt = (number: number) => keyOf(stringAt(table, number));
  const withHash = (hash: number) => {
    const numbers: number[] = [];
    for (let other = slots[slotOf(hash, slots)] ?? 0; other > 0; other = next[other - 1] ?? 0)
      if (hashes[other - 1] === hash) numbers.push(other - 1);
    return numbers;
  };
  const sets = Array.from(shared).flatMap((hash) =>
    [...Map.groupBy(withHash(hash), keyAt).values()].filter(({ length }) => length > 1),
  );
  return {
    sets: sets.map((numbers) =>
      numbers.sort((a, b) => compare(stringAt(table, a), stringAt(table, b)) || a - b),
    ),
    numbersOf: (key) => withHash(hashOfText(key)).filter((number) => keyAt(number) === key),
  };
}

/** The low bits of a hash alone depend on the low bits of its bytes. */
function slotOf(hash: number, { length }: Uint32Array): number {
  return (hash ^ (hash >>> 15)) & (length - 1);
}

/** Of this process alone: nobody can write many names that share a slot. */
const hashStart = Math.floor(Math.random() * 2 ** 32);

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
  return hash >>> 0;
}

function hashOfText(key: string): number {
  let hash = hashStart;
  for (let at = 0; at < key.length; at++) hash = mixed(hash, key.charCodeAt(at));
  return hash >>> 0;
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
