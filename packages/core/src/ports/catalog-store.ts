import type {
  PriceEntry,
  ProductInput,
  ProductSource,
  ProductWithHistory,
  StoredProduct,
} from "../domain/product.ts";

/**
 * The outcome for one applied product. `outdated`: nothing changed, because the product was written directly after the import
 * had begun.
 */
export type ApplyOutcome = "created" | "updated" | "unchanged" | "outdated";
/** `failed`: nothing changed; the product is a dead letter. */
export type EachOutcome = ApplyOutcome | "failed";
export type RemoveOutcome = "removed" | "absent" | "outdated";

/**
 * A change that indexes follow. Sequences only increase. Several changes of one product may be combined into the last
 * one.
 */
export interface CatalogChange {
  sequence: number;
  rowId: number;
}

/** What a list of pages says of a product's page. */
export interface ProductPage {
  rowId: number;
  /** The last segment of the page's URL. */
  slug: string;
  updatedAtMs: number;
}

/** Both bounds are inclusive; an absent bound means no limit. */
export interface PriceHistoryRange {
  fromMs?: number;
  toMs?: number;
  /** Only entries after this one. */
  after?: Pick<PriceEntry, "id" | "atMs">;
}

/** The progress of an import with this batch. */
export interface ImportProgress {
  owner: string;
  /** The last staged row of the batch. */
  position: number;
  /** When fetching the feed began: products that `WrittenProducts` has noted since then are left as they are. */
  startedAtMs: number;
}

/** Another process finishes the import, because this one was considered dead. */
export class ImportLeaseLostError extends Error {
  override readonly name = "ImportLeaseLostError";

  constructor() {
    super("Another process has taken over the import and will finish it.");
  }
}

/** The methods that do not change the catalog. */
export type CatalogReads = Omit<CatalogStore, "apply" | "applyEach" | "remove" | "setPopularity" | "batchMs">;

/**
 * Products with their price history: the source of truth from which every index is derived. A stored product that
 * cannot be read is left out of every result, and is a dead letter.
 */
export interface CatalogStore {
  /** How long a batch of writes is to take. Left out where other writers wait for each transaction. */
  readonly batchMs?: number;
  /** The products in the order of `rowIds`, without absent ones. */
  findByRowIds(rowIds: readonly number[]): Promise<StoredProduct[]>;
  /** The same, each with the newest `historyLimit` entries of its price history. */
  findWithHistory(rowIds: readonly number[], historyLimit: number): Promise<ProductWithHistory[]>;
  /** By `_id`, of any source. */
  findById(id: string): Promise<StoredProduct | undefined>;
  /** The products in the order of `ids`, without absent ones. */
  findByIds(ids: readonly string[]): Promise<StoredProduct[]>;
  /** The row ids of those of these products that there are, by `_id`. */
  rowIdsOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** By the last segment of the product page's URL. */
  findBySlug(source: ProductSource, slug: string): Promise<StoredProduct | undefined>;
  /** At most `limit` products of a group, in the order of their row ids. */
  findGroup(source: ProductSource, groupId: string, limit: number): Promise<StoredProduct[]>;
  /** The newest `limit` entries of each product, newest last, in the order of `rowIds`. */
  priceHistories(rowIds: readonly number[], limit: number): Promise<PriceEntry[][]>;
  /** The oldest `limit` entries of a product within the range, oldest first. */
  priceHistory(rowId: number, range: PriceHistoryRange, limit: number): Promise<PriceEntry[]>;

  /**
   * Applies the inputs in one transaction: product, price-history entry, change record, webhook events and their
   * pending deliveries are committed together or not at all. A batch should take at most 10 ms. `progress` records
   * the progress of the import in the same transaction. If the import no longer belongs to the owner, it fails with
   * `ImportLeaseLostError` and applies nothing.
   */
  apply(inputs: readonly ProductInput[], progress?: ImportProgress): Promise<ApplyOutcome[]>;

  /**
   * The same if one of the inputs cannot be applied: that one becomes a dead letter, the others are applied. A stored
   * product that cannot be read is overwritten, without an event. Fails only if the database itself has an error.
   */
  applyEach(inputs: readonly ProductInput[], progress?: ImportProgress): Promise<EachOutcome[]>;

  /**
   * Removes products by `_id` with their price history and dead letters, in one transaction. Each removal is a change
   * that indexes follow: its row id is in the change log and is never used again. Unless the product was out of
   * stock, it first becomes out of stock, so that webhooks get an event. If it is imported again later, it is a new
   * product. `progress` and the batch size are as in `apply`.
   */
  remove(ids: readonly string[], progress?: ImportProgress): Promise<RemoveOutcome[]>;

  /** Each is a change that indexes follow. Absent products are left out. A batch should take at most 10 ms. */
  setPopularity(values: readonly { rowId: number; popularity: number }[]): Promise<void>;

  /** The number of products by source. */
  countBySource(): Promise<Record<ProductSource, number>>;
  /** The sequence of the newest change, 0 in an empty store. Fast enough to poll several times a second. */
  lastSequence(): Promise<number>;
  /** Changes after `sequence`, oldest first, at most `limit`. */
  changesAfter(sequence: number, limit: number): Promise<CatalogChange[]>;
  /** Products in the order of their row ids, to build an index from scratch. */
  scan(afterRowId: number, limit: number): Promise<StoredProduct[]>;
  /** The pages of products in the order of their row ids. */
  pages(afterRowId: number, limit: number): Promise<ProductPage[]>;
  /** The largest row id, 0 in an empty store. */
  lastRowId(): Promise<number>;
}

/** The currency of all prices in the store. Kept with them, because a stored price is only a number. */
export interface StoreCurrency {
  /** Undefined before the first import. */
  read(): Promise<string | undefined>;
  /** Records the currency if none is recorded. Returns the recorded one, which another process may have chosen. */
  record(currency: string): Promise<string>;
  /** Prices are not converted. */
  replace(currency: string): Promise<void>;
}
