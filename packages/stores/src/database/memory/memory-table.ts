/** The steps to undo the writes of the current transaction, oldest first. */
export type UndoLog = (() => void)[];

/** Rows by key, in the order of their first insertion. A row is never changed, only replaced. */
export class MemoryTable<Key extends string | number, Row> {
  readonly #rows = new Map<Key, Row>();
  readonly #undo: UndoLog;

  constructor(undo: UndoLog) {
    this.#undo = undo;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: Key): Row | undefined {
    return this.#rows.get(key);
  }

  set(key: Key, row: Row): void {
    const former = this.#rows.get(key);
    this.#undo.push(() => {
      if (former === undefined) this.#rows.delete(key);
      else this.#rows.set(key, former);
    });
    this.#rows.set(key, row);
  }

  delete(key: Key): boolean {
    const former = this.#rows.get(key);
    if (former === undefined) return false;
    this.#undo.push(() => this.#rows.set(key, former));
    return this.#rows.delete(key);
  }

  entries(): [Key, Row][] {
    return [...this.#rows];
  }

  values(): Row[] {
    return [...this.#rows.values()];
  }

  /** The first match. */
  find(fits: (row: Row, key: Key) => boolean): [Key, Row] | undefined {
    for (const [key, row] of this.#rows) if (fits(row, key)) return [key, row];
    return undefined;
  }
}
