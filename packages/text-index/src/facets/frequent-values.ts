import type { FacetValue } from "../search/search-query.ts";
import type { Segment } from "../segment/segment.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { compareCodePoints, type StringTable, stringAt, stringCount } from "../segment/string-table.ts";
import type { Measure } from "../text/measure.ts";
import { nameKey, tokenize } from "../text/tokenize.ts";

/** Texts by their number, from `from` to `to`, exclusive. No text is there twice. */
export interface TextTable {
  /** Tables with the same numbers and keys have the same; undefined if nothing is kept for it. */
  readonly strings: StringTable | undefined;
  readonly from: number;
  readonly to: number;
  textOf(number: number): string;
  /** The same as to read the text; undefined for a table of other texts than values of an attribute. */
  readonly measureOf?: ((number: number) => Measure | undefined) | undefined;
  /** Less than `from` if the text is not there. */
  numberOf(text: string): number;
  /** The same for texts that differ only in case and accents: variants, which are counted together. */
  keyOf(text: string): string;
  /** The texts with a key; some may be outside the table. */
  numbersOf(key: string): readonly number[];
}

/** A table with the number of documents for each of its texts; that of variants stands at the first of them that any document has. */
export interface Tally {
  readonly table: TextTable;
  /** By the number of the text. */
  readonly counts: Uint32Array;
}

/**
 * The `limit` most frequent texts over all tallies, equal counts by text. Of variants, the first that any document has is returned.
 * Texts with an empty key are left out. Only the returned texts and those of further tallies are decoded, because there may be
 * thousands; with `keeps`, all that occur. With `cutByKey`, of equal counts at the limit those with the first keys are returned.
 */
export function frequentValues(
  [first, ...others]: readonly Tally[],
  limit: number,
  keeps?: (text: string) => boolean,
  cutByKey = false,
): FacetValue[] {
  if (first === undefined || limit === 0) return [];
  const { from, to } = first.table;
  const further = new Map<string, FacetValue>();
  // Numbers of the first table whose counts are in `further`.
  const moved = new Set<number>();
  const sums = others.length === 0 ? first.counts : first.counts.slice();
  for (const { table, counts } of others) {
    const placeOf = placesIn(first.table, table);
    for (let number = table.from; number < table.to; number++) {
      const documents = counts[number] ?? 0;
      if (documents === 0) continue;
      const place = placeOf(number);
      if (typeof place === "number" && !moved.has(place)) {
        sums[place] = (sums[place] ?? 0) + documents;
        continue;
      }
      const name = table.textOf(number);
      const { key, numbers } = typeof place === "number" ? { key: table.keyOf(name), numbers: [] } : place;
      const counted = numbers.find((one) => (sums[one] ?? 0) > 0);
      if (counted !== undefined && compareCodePoints(first.table.textOf(counted), name) <= 0)
        sums[counted] = (sums[counted] ?? 0) + documents;
      else {
        // The first table does not have the text that is returned.
        const before = counted === undefined ? 0 : (sums[counted] ?? 0);
        if (counted !== undefined) sums[counted] = 0;
        for (const one of numbers) moved.add(one);
        further.set(key, joinSpellings(further.get(key), { value: name, count: before + documents }));
      }
    }
  }
  const most = keeps === undefined ? limit + 1 : to - from;
  const best = maxFrequent(sums, from, to, most);
  const rarest = sums[best.at(-1) ?? 0] ?? 0;
  if (cutByKey && best.length === most)
    for (let number = (best.at(-1) ?? 0) + 1; number < to; number++)
      if (sums[number] === rarest) best.push(number);
  const values = best.map((number) => ({ value: first.table.textOf(number), count: sums[number] ?? 0 }));
  values.push(...further.values());
  const kept = values
    .sort(byDocuments)
    .filter(({ value }) => first.table.keyOf(value) !== "" && (keeps?.(value) ?? true));
  return cutByKey ? firstByKey(kept, limit, first.table) : kept.slice(0, limit);
}

/** Of the sorted values, the most frequent, and of those as frequent as the last of them the ones with the first keys. */
function firstByKey(values: FacetValue[], limit: number, { keyOf }: TextTable): FacetValue[] {
  const count = values[limit]?.count;
  if (count === undefined || count !== values[limit - 1]?.count) return values.slice(0, limit);
  const more = values.filter((value) => value.count > count);
  const keyed = values
    .filter((value) => value.count === count)
    .map((value) => ({ value, key: keyOf(value.value) }))
    .sort((a, b) => compareCodePoints(a.key, b.key));
  return [...more, ...keyed.slice(0, limit - more.length).map(({ value }) => value)].sort(byDocuments);
}

/** The number of the same text if it has no variants; else the key, and the numbers with it. */
type Place = number | { readonly key: string; readonly numbers: readonly number[] };

const placesOf = new WeakMap<StringTable, WeakMap<StringTable, Map<string, (Place | undefined)[]>>>();

/** Where the texts of a table are in the first one. Segments do not change, so each text is looked up once. */
function placesIn(first: TextTable, table: TextTable): (number: number) => Place {
  const { from, to } = first;
  const find = (number: number): Place => {
    const name = table.textOf(number);
    const key = table.keyOf(name);
    const numbers = first.numbersOf(key).filter((one) => from <= one && one < to);
    const [only] = numbers;
    return only !== undefined && numbers.length === 1 && first.textOf(only) === name
      ? only
      : { key, numbers };
  };
  if (first.strings === undefined || table.strings === undefined) return find;
  const inFirst =
    placesOf.get(first.strings) ?? new WeakMap<StringTable, Map<string, (Place | undefined)[]>>();
  placesOf.set(first.strings, inFirst);
  const byRange = inFirst.get(table.strings) ?? new Map<string, (Place | undefined)[]>();
  inFirst.set(table.strings, byRange);
  const range = `${from} ${to} ${table.from}`;
  const places = byRange.get(range) ?? [];
  byRange.set(range, places);
  return (number) => {
    places[number - table.from] ??= find(number);
    return places[number - table.from] ?? 0;
  };
}

/** Those with one key as one value, most frequent first. */
export function joinValues(values: Iterable<FacetValue>, keyOf: TextTable["keyOf"]): FacetValue[] {
  const byKey = new Map<string, FacetValue>();
  for (const value of values) {
    const key = keyOf(value.value);
    byKey.set(key, joinSpellings(byKey.get(key), value));
  }
  return [...byKey.values()].sort(byDocuments);
}

export function byDocuments(a: FacetValue, b: FacetValue): number {
  return b.count - a.count || compareCodePoints(a.value, b.value);
}

/** Both counts, under the name that comes first. */
export function joinSpellings(one: FacetValue | undefined, other: FacetValue): FacetValue {
  if (one === undefined) return other;
  const isFirst = compareCodePoints(one.value, other.value) <= 0;
  return { value: isFirst ? one.value : other.value, count: one.count + other.count };
}

/** The numbers of the largest counts, largest first; equal counts by number. */
function maxFrequent(counts: Uint32Array, from: number, to: number, limit: number): number[] {
  const best: number[] = [];
  if (limit >= to - from) {
    for (let number = from; number < to; number++) if (counts[number] !== 0) best.push(number);
    return best.sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || a - b);
  }
  let floor = 0;
  for (let number = from; number < to; number++) {
    const count = counts[number] ?? 0;
    if (count <= floor) continue;
    let at = best.length;
    while (at > 0 && (counts[best[at - 1] ?? 0] ?? 0) < count) at--;
    best.splice(at, 0, number);
    if (best.length > limit) best.pop();
    if (best.length === limit) floor = counts[best.at(-1) ?? 0] ?? 0;
  }
  return best;
}

/** Whether a word of a text begins with what was typed; several typed words must be there one after the other. */
export function beginsWord(typed: string): (text: string) => boolean {
  const wanted = tokenize(typed, "query").join(" ");
  return (text) => {
    const words = tokenize(text, "query");
    return wanted === "" || words.some((_, from) => words.slice(from).join(" ").startsWith(wanted));
  };
}

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
