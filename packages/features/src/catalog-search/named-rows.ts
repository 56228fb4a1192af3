import { AsyncLocalStorage } from "node:async_hooks";
import { letOthersCome } from "@product-search/core/mechanisms/fair-queue.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { findProductRows, type ProductRow } from "../product-rows.ts";

export type NamedRowsStore = Pick<
  CatalogStore,
  "rowIdsOf" | "lastSequence" | "changesAfter" | "findByRowIds"
>;

/** After more changes than these, all names are looked up again. */
const maxChanges = 1000;
/** Reading so many takes about 3 ms; then other work has its turn. */
const namesAtOnce = 1000;
const productsAtOnce = 100;
/** Twice as many as all rules may name. With more, those of former rules are among them. */
const maxNames = 40_000;

/** The work is for all searches: it waits for no caller's turn, and sees what the filter of a token hides. */
const outside = AsyncLocalStorage.snapshot();

const stores = new WeakMap<NamedRowsStore, NamedRows>();

export function namedRowsOf(store: NamedRowsStore): NamedRows {
  const rows = stores.get(store) ?? new NamedRows(store);
  stores.set(store, rows);
  return rows;
}

/**
 * The rows of products that rules name, by `_id` or key. After a write, only the names are looked up again that it may concern:
 * no search pays for what others have written.
 */
export class NamedRows {
  readonly #store: NamedRowsStore;
  readonly #rows = new Map<string, ProductRow | undefined>();
  readonly #namesOf = new Map<number, Set<string>>();
  #sequence = -1;
  #updating: Promise<unknown> = Promise.resolve();
  /** Grows when a name means another row than before. */
  revision = 0;

  constructor(store: NamedRowsStore) {
    this.#store = store;
  }

  /** Follows the catalog. Absent products have no entry. */
  async rowsOf(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const updating = this.#updating.then(() => outside(() => this.#update(names)));
    this.#updating = updating.catch(() => {});
    await updating;
    return new Map(
      names.flatMap((name): [string, number][] => {
        const row = this.#rows.get(name);
        return row === undefined ? [] : [[name, row.rowId]];
      }),
    );
  }

  async #update(names: readonly string[]): Promise<void> {
    const newest = await this.#store.lastSequence();
    if (newest !== this.#sequence) await this.#follow(newest);
    if (this.#rows.size > maxNames) this.#forget();
    await this.#look(names.filter((name) => !this.#rows.has(name)));
  }

  async #follow(newest: number): Promise<void> {
    const isLater = this.#sequence >= 0 && newest > this.#sequence;
    const changes = isLater ? await this.#store.changesAfter(this.#sequence, maxChanges) : [];
    if (changes.length === 0 || changes.length === maxChanges) this.#forget();
    else {
      await this.#look(await this.#namesToLookUp(changes.map(({ rowId }) => rowId)));
    }
    this.#sequence = Math.max(newest, changes.at(-1)?.sequence ?? newest);
  }

  #forget(): void {
    this.#rows.clear();
    this.#namesOf.clear();
    this.revision += 1;
  }

  /** Those of products that are gone, and of products that may be new under a name. */
  async #namesToLookUp(rowIds: readonly number[]): Promise<string[]> {
    if (this.#rows.size === 0) return [];
    const doubtful = new Set<string>();
    for (let at = 0; at < rowIds.length; at += productsAtOnce) {
      if (at > 0) await letOthersCome();
      const slice = rowIds.slice(at, at + productsAtOnce);
      const products = await this.#store.findByRowIds(slice);
      const byRow = new Map(products.map((product) => [product.rowId, product]));
      for (const rowId of slice) {
        const product = byRow.get(rowId);
        const names = product === undefined ? [] : [product.id, product.key];
        for (const name of [...names, ...(this.#namesOf.get(rowId) ?? [])]) {
          const known = this.#rows.get(name);
          if (known?.id !== product?.id || known?.rowId !== rowId) doubtful.add(name);
        }
      }
    }
    return [...doubtful].filter((name) => this.#rows.has(name));
  }

  async #look(names: readonly string[]): Promise<void> {
    for (let at = 0; at < names.length; at += namesAtOnce) {
      if (at > 0) await letOthersCome();
      const slice = names.slice(at, at + namesAtOnce);
      const found = await findProductRows(this.#store, slice);
      for (const name of slice) this.#note(name, found.get(name));
    }
  }

  #note(name: string, row: ProductRow | undefined): void {
    const former = this.#rows.get(name);
    if (this.#rows.has(name) && former?.rowId !== row?.rowId) this.revision += 1;
    if (former !== undefined) this.#namesOf.get(former.rowId)?.delete(name);
    this.#rows.set(name, row);
    if (row === undefined) return;
    const names = this.#namesOf.get(row.rowId) ?? new Set();
    this.#namesOf.set(row.rowId, names.add(name));
  }
}
