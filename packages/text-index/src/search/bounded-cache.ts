/** Keeps the results for the last `capacity` keys. */
export class BoundedCache<Key, Value> {
  readonly #capacity: number;
  readonly #values = new Map<Key, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: Key, compute: () => Value): Value {
    const known = this.#values.get(key);
    const value = known ?? compute();
    // Maps keep the order of insertion: a key that is used moves to the end, and the first one is removed.
    if (known !== undefined) this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#capacity)
      for (const oldest of this.#values.keys()) return this.#evict(oldest, value);
    return value;
  }

  #evict(oldest: Key, value: Value): Value {
    this.#values.delete(oldest);
    return value;
  }
}
