import type { PriceEntry, ProductInput, ProductSource, StoredProduct } from "../domain/product.ts";

/** What one applied product came to. */
export type ApplyOutcome = "created" | "updated" | "unchanged";

/** A change that indexes follow. Numbers only grow; several changes of one product may be folded into the last. */
export interface CatalogChange {
  sequence: number;
  rowId: number;
}

/** Products with their price history: the truth from which every index is derived. */
export interface CatalogStore {
  /** The products in the order of `rowIds`; the absent ones are left out. */
  findByRowIds(rowIds: readonly number[]): Promise<StoredProduct[]>;
  /** By `_id`, of any source. */
  findById(id: string): Promise<StoredProduct | undefined>;
  /** By the last segment of the product page's address. */
  findBySlug(source: ProductSource, slug: string): Promise<StoredProduct | undefined>;
  /** The newest `limit` entries of each product, newest last, in the order of `rowIds`. */
  priceHistories(rowIds: readonly number[], limit: number): Promise<PriceEntry[][]>;

  /**
   * Applies the inputs in one transaction: product, price-history entry, change record, and the webhook
   * events with their pending deliveries commit together or not at all. Keep a batch to what fits in 10 ms.
   */
  apply(inputs: readonly ProductInput[]): Promise<ApplyOutcome[]>;

  /** How many products there are, by source. */
  countBySource(): Promise<Record<ProductSource, number>>;
  /** The number of the newest change, 0 in an empty store; cheap enough to ask several times a second. */
  lastSequence(): Promise<number>;
  /** Changes after `sequence`, oldest first, at most `limit`. */
  changesAfter(sequence: number, limit: number): Promise<CatalogChange[]>;
  /** Products in the order of their row ids, for building an index from nothing. */
  scan(afterRowId: number, limit: number): Promise<StoredProduct[]>;
}
