/** Keeps the results for the keys used last: at least half of `capacity`, at most all of it. A hit costs one look-up. */
export class BoundedCache<Key, Value extends NonNullable<unknown>> {
  readonly #half: number;
  #recent = new Map<Key, Value>();
  /** What was in `#recent` before it was full. Keys that are used again move back. */
  #older = new Map<Key, Value>();

  constructor(capacity: number) {
    this.#half = Math.ceil(capacity / 2);
  }

  get(key: Key, compute: () => Value): Value {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const value = this.#older.get(key) ?? compute();
    if (this.#recent.size >= this.#half) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
    return value;
  }
}
