/** A set of places in phrases: one bit each. */
export type PlaceSet = Uint32Array;

export function hasPlace(places: PlaceSet, place: number): boolean {
  return ((places[place >>> 5] ?? 0) & (1 << (place & 31))) !== 0;
}

/** Ascending. */
export function* placesIn(places: PlaceSet): Generator<number> {
  for (let i = 0; i < places.length; i++)
    for (let bits = places[i] ?? 0; bits !== 0; bits &= bits - 1)
      yield (i << 5) + 31 - Math.clz32(bits & -bits);
}

/** Places by the number of a word or a term. */
export class PlacesByKey {
  /** The places of each key, ascending. */
  readonly #places: Uint32Array;
  /** Where those of each key start; one entry more than there are keys. */
  readonly #starts: Uint32Array;
  readonly #size: number;

  /** `keys` has the key of each place. Places before `from`, and those with a key of `count` or more, are left out. */
  constructor(keys: Uint32Array, from: number, count: number) {
    this.#size = keys.length;
    const starts = new Uint32Array(count + 1);
    const used = keys.subarray(from);
    for (const key of used) if (key < count) starts[key + 1] = (starts[key + 1] ?? 0) + 1;
    for (let key = 0; key < count; key++) starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0);
    const next = starts.slice();
    this.#places = new Uint32Array(starts[count] ?? 0);
    for (let i = 0; i < used.length; i++) {
      const key = used[i] ?? count;
      if (key >= count) continue;
      const at = next[key] ?? 0;
      next[key] = at + 1;
      this.#places[at] = from + i;
    }
    this.#starts = starts;
  }

  of(key: number): Uint32Array {
    return this.#places.subarray(this.#starts[key] ?? 0, this.#starts[key + 1] ?? 0);
  }

  /** The places of all keys in the ranges. */
  setOf(ranges: ReadonlyArray<readonly [from: number, to: number]>): PlaceSet {
    const set = new Uint32Array((this.#size + 31) >>> 5);
    for (const [from, to] of ranges)
      for (let i = this.#starts[from] ?? 0; i < (this.#starts[to] ?? 0); i++) {
        const place = this.#places[i] ?? 0;
        set[place >>> 5] = (set[place >>> 5] ?? 0) | (1 << (place & 31));
      }
    return set;
  }
}
