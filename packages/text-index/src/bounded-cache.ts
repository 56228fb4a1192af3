/**
 * Keeps the results for the keys used last, of which each takes `sizeOf`, 1 if it is not set: about half of `capacity` to
 * all of it. A hit costs one look-up.
 */
export class BoundedCache<Key, Value extends NonNullable<unknown>> {
  readonly #half: number;
  readonly #sizeOf: (value: Value) => number;
  #size = 0;
  #recent = new Map<Key, Value>();
  /** What was in `#recent` before it was full. Keys that are used again move back. */
  #older = new Map<Key, Value>();

  constructor(capacity: number, sizeOf: (value: Value) => number = () => 1) {
    this.#half = Math.ceil(capacity / 2);
    this.#sizeOf = sizeOf;
  }

  get(key: Key, compute: () => Value): Value {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const value = this.#older.get(key) ?? compute();
    if (this.#size >= this.#half) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#size = 0;
    }
    this.#size += this.#sizeOf(value);
    this.#recent.set(key, value);
    return value;
  }
}

/**
 * The same for keys that are texts and mostly new, each of which takes the place of an older one: a key has two places, by its
 * letters. To add a key to a map of thousands takes 1.5 to 6 µs, as long as to stem a word or more; this takes a twentieth.
 */
export class StringCache<Value extends NonNullable<unknown>> {
  readonly #mask: number;
  readonly #keys: Array<string | undefined>;
  readonly #values: Array<Value | undefined>;

  /** `capacity` is a power of two. */
  constructor(capacity: number) {
    this.#mask = capacity - 1;
    this.#keys = new Array(capacity).fill(undefined);
    this.#values = new Array(capacity).fill(undefined);
  }

  get(key: string, compute: () => Value): Value {
    const keys = this.#keys;
    const values = this.#values;
    const place = placeOf(key) & this.#mask;
    const first = values[place];
    if (first !== undefined && keys[place] === key) return first;
    const other = place ^ 1;
    const second = values[other];
    if (second !== undefined && keys[other] === key) return second;
    const value = compute();
    if (first !== undefined) {
      keys[other] = keys[place];
      values[other] = first;
    }
    keys[place] = key;
    values[place] = value;
    return value;
  }
}

function placeOf(key: string): number {
  let place = 0;
  for (let i = 0; i < key.length; i++) place = Math.imul(place ^ key.charCodeAt(i), 0x01000193);
  return place ^ (place >>> 15);
}
