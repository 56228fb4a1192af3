import type {
  PriceEntry,
  ProductInput,
  ProductSource,
  ProductWithHistory,
  StoredProduct,
} from "../domain/product.ts";

/** What one applied product came to. */
export type ApplyOutcome = "created" | "updated" | "unchanged";
/** `failed`: it changed nothing and is a dead letter. */
export type EachOutcome = ApplyOutcome | "failed";
export type RemoveOutcome = "removed" | "absent";

/** A change that indexes follow. Numbers only grow; several changes of one product may be folded into the last. */
export interface CatalogChange {
  sequence: number;
  rowId: number;
}

/** Both bounds are included; what is left out does not bound. */
export interface PriceHistoryRange {
  fromMs?: number;
  toMs?: number;
  /** Only entries that follow this one. */
  after?: Pick<PriceEntry, "id" | "atMs">;
}

/** How far an import gets with a batch. */
export interface ImportProgress {
  owner: string;
  /** Of the last staged row in the batch. */
  position: number;
}

/** Another process finishes the import: this one was taken for dead. */
export class ImportLeaseLostError extends Error {
  override readonly name = "ImportLeaseLostError";

  constructor() {
    super("Another process has taken over the import and will finish it.");
  }
}

/** What does not change the catalog. */
export type CatalogReads = Omit<CatalogStore, "apply" | "applyEach" | "remove">;

/**
 * Products with their price history: the truth from which every index is derived. A stored product that cannot be read is
 * left out of every response, and is a dead letter.
 */
export interface CatalogStore {
  /** The products in the order of `rowIds`; the absent ones are left out. */
  findByRowIds(rowIds: readonly number[]): Promise<StoredProduct[]>;
  /** The same, each with the newest `historyLimit` entries of its price history. */
  findWithHistory(rowIds: readonly number[], historyLimit: number): Promise<ProductWithHistory[]>;
  /** By `_id`, of any source. */
  findById(id: string): Promise<StoredProduct | undefined>;
  /** The products in the order of `ids`; the absent ones are left out. */
  findByIds(ids: readonly string[]): Promise<StoredProduct[]>;
  /** By the last segment of the product page's address. */
  findBySlug(source: ProductSource, slug: string): Promise<StoredProduct | undefined>;
  /** The newest `limit` entries of each product, newest last, in the order of `rowIds`. */
  priceHistories(rowIds: readonly number[], limit: number): Promise<PriceEntry[][]>;
  /** The oldest `limit` entries of a product within the range, oldest first. */
  priceHistory(rowId: number, range: PriceHistoryRange, limit: number): Promise<PriceEntry[]>;

  /**
   * Applies the inputs in one transaction: product, price-history entry, change record, and the webhook
   * events with their pending deliveries commit together or not at all. Keep a batch to what fits in 10 ms.
   * With `progress`, how far the import got commits with them; fails with `ImportLeaseLostError` and applies nothing
   * when the import is no longer the owner's.
   */
  apply(inputs: readonly ProductInput[], progress?: ImportProgress): Promise<ApplyOutcome[]>;

  /**
   * The same for inputs of which one cannot be applied: that one becomes a dead letter, the others are applied. What is
   * stored but cannot be read is written over, without an event. Fails only when the store itself is at fault.
   */
  applyEach(inputs: readonly ProductInput[], progress?: ImportProgress): Promise<EachOutcome[]>;

  /**
   * Removes products by `_id` with their price history and dead letters, in one transaction. Each removal is a change that
   * indexes follow: the row id is in the change log, and no product has it any more, nor ever will. A product that was not
   * out of stock becomes that first, so that webhooks get an event. A product that is imported again later is a new one.
   * `progress` and the size of a batch are as in `apply`.
   */
  remove(ids: readonly string[], progress?: ImportProgress): Promise<RemoveOutcome[]>;

  /** How many products there are, by source. */
  countBySource(): Promise<Record<ProductSource, number>>;
  /** The number of the newest change, 0 in an empty store; cheap enough to ask several times a second. */
  lastSequence(): Promise<number>;
  /** Changes after `sequence`, oldest first, at most `limit`. */
  changesAfter(sequence: number, limit: number): Promise<CatalogChange[]>;
  /** Products in the order of their row ids, for building an index from nothing. */
  scan(afterRowId: number, limit: number): Promise<StoredProduct[]>;
}
