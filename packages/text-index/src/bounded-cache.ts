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
