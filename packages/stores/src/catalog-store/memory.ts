import { productId } from "@product-search/core/domain/identity.ts";
import { firstProduct, nextProduct } from "@product-search/core/domain/next-product.ts";
import { priorPriceWindowMs } from "@product-search/core/domain/price/money.ts";
import type {
  PriceEntry,
  PricePoint,
  ProductInput,
  StoredProduct,
} from "@product-search/core/domain/product.ts";
import { productSources } from "@product-search/core/domain/product.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import type { ProductChange } from "@product-search/core/domain/webhook-event.ts";
import {
  type ApplyOutcome,
  type CatalogReads,
  type CatalogStore,
  ImportLeaseLostError,
  type RemoveOutcome,
} from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { MemoryDatabase } from "../database/memory/memory.ts";

export interface MemoryCatalogSettings {
  database: MemoryDatabase;
  clock: Clock;
  /** Called with every change, inside its transaction. */
  outbox(change: ProductChange, atMs: number): void;
}

export function createMemoryCatalogStore(settings: MemoryCatalogSettings): CatalogStore {
  const { database, clock } = settings;
  const applyOne = createApplyOne(settings);
  const removeOne = createRemoveOne(settings);
  return {
    ...createMemoryReads(database),

    apply: (inputs, progress) =>
      database.transact(() => {
        // There are no imports in memory, so nobody can hold an import lease.
        if (progress !== undefined) throw new ImportLeaseLostError();
        const nowMs = clock.now();
        return inputs.map((input) => applyOne(input, nowMs));
      }),

    applyEach: (inputs, progress) =>
      database.transact(() => {
        if (progress !== undefined) throw new ImportLeaseLostError();
        const nowMs = clock.now();
        return inputs.map((input) => {
          try {
            return database.savepoint(() => applyOne(input, nowMs));
          } catch {
            return "failed";
          }
        });
      }),

    setPopularity: (values) =>
      database.transact(() => {
        for (const { rowId, popularity } of values) {
          const product = database.tables.products.get(rowId);
          if (product === undefined) continue;
          database.tables.products.set(rowId, { ...product, popularity });
          database.tables.changes.set(rowId, database.next("changes"));
        }
      }),

    remove: (ids, progress) =>
      database.transact(() => {
        if (progress !== undefined) throw new ImportLeaseLostError();
        const nowMs = clock.now();
        return ids.map((id) => removeOne(id, nowMs));
      }),
  };
}

function createApplyOne({ database, outbox }: MemoryCatalogSettings) {
  const { tables, next } = database;
  const noteChange = (rowId: number) => tables.changes.set(rowId, next("changes"));
  const toEntry = ({ priceMinor, atMs }: PricePoint): PriceEntry => ({
    id: next("prices").toString(16).padStart(24, "0"),
    priceMinor,
    atMs,
  });

  function create(input: ProductInput, nowMs: number): void {
    const { product, prices } = firstProduct(input, nowMs);
    const rowId = next("products");
    tables.products.set(rowId, { ...product, rowId });
    tables.productRows.set(product.id, rowId);
    tables.slugRows.set(`${product.source} ${product.slug}`, rowId);
    tables.prices.set(rowId, prices.map(toEntry));
    noteChange(rowId);
  }

  function update(rowId: number, input: ProductInput, nowMs: number): ApplyOutcome {
    const previous = tables.products.get(rowId);
    if (previous === undefined) throw new Error(`There is no product ${rowId}.`);
    const history = tables.prices.get(rowId) ?? [];
    const current = nextProduct(previous, input, nowMs, (atMs) => pricesBefore(history, atMs));
    if (current === undefined) return "unchanged";
    const { popularity } = previous;
    tables.products.set(rowId, { ...current, ...(popularity !== undefined && { popularity }) });
    if (current.priceMinor !== previous.priceMinor) {
      const price = { priceMinor: current.priceMinor, atMs: current.priceSinceMs };
      tables.prices.set(rowId, [...history, toEntry(price)]);
    }
    noteChange(rowId);
    outbox({ previous, current }, current.updatedAtMs);
    return "updated";
  }

  return (input: ProductInput, nowMs: number): ApplyOutcome => {
    if (!Number.isSafeInteger(input.priceMinor))
      throw new Error(`${input.key}: the price ${input.priceMinor} is not a whole number of minor units.`);
    const rowId = tables.productRows.get(productId(input.source, input.key));
    if (rowId !== undefined) return update(rowId, input, nowMs);
    create(input, nowMs);
    return "created";
  };
}

function createRemoveOne({ database, outbox }: MemoryCatalogSettings) {
  const { tables, next } = database;
  return (id: string, nowMs: number): RemoveOutcome => {
    const rowId = tables.productRows.get(id);
    const previous = rowId === undefined ? undefined : tables.products.get(rowId);
    if (rowId === undefined || previous === undefined) return "absent";
    if (previous.availability !== "out_of_stock") {
      outbox({ previous, current: { ...previous, availability: "out_of_stock" } }, nowMs);
    }
    tables.products.delete(rowId);
    tables.productRows.delete(id);
    tables.slugRows.delete(`${previous.source} ${previous.slug}`);
    tables.prices.delete(rowId);
    tables.changes.set(rowId, next("changes"));
    return "removed";
  };
}

/** The prices in effect during the 30 days before, including the one at the start of that period. */
function pricesBefore(history: readonly PriceEntry[], atMs: number): PriceEntry[] {
  const windowStartMs = atMs - priorPriceWindowMs;
  const first = history.findLast((entry) => entry.atMs <= windowStartMs)?.atMs ?? 0;
  return history.filter((entry) => entry.atMs < atMs && entry.atMs >= first);
}

function createMemoryReads({ tables }: MemoryDatabase): CatalogReads {
  const { products, prices } = tables;
  const productAt = (rowId: number | undefined): StoredProduct | undefined =>
    rowId === undefined ? undefined : products.get(rowId);
  const newest = (rowId: number, limit: number): PriceEntry[] =>
    limit > 0 ? (prices.get(rowId) ?? []).slice(-limit) : [];

  return {
    findByRowIds: async (rowIds) => rowIds.flatMap((rowId) => products.get(rowId) ?? []),
    findWithHistory: async (rowIds, historyLimit) =>
      rowIds.flatMap((rowId) => {
        const product = products.get(rowId);
        return product === undefined ? [] : [{ product, history: newest(rowId, historyLimit) }];
      }),
    findById: async (id) => productAt(tables.productRows.get(id)),
    findByIds: async (ids) => ids.flatMap((id) => productAt(tables.productRows.get(id)) ?? []),
    rowIdsOf: async (ids) =>
      new Map(
        ids.flatMap((id): [string, number][] => {
          const rowId = tables.productRows.get(id);
          return rowId === undefined ? [] : [[id, rowId]];
        }),
      ),
    findBySlug: async (source, slug) => productAt(tables.slugRows.get(`${source} ${slug}`)),
    findGroup: async (source, groupId, limit) =>
      products
        .values()
        .filter((product) => product.source === source && product.groupId === groupId)
        .slice(0, limit),
    priceHistories: async (rowIds, limit) => rowIds.map((rowId) => newest(rowId, limit)),
    priceHistory: async (rowId, { fromMs = -Infinity, toMs = Infinity, after }, limit) =>
      (prices.get(rowId) ?? [])
        .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
        .filter((entry) => after === undefined || isLater(entry, after))
        .slice(0, limit),

    async countBySource() {
      const counts = recordOf(productSources, () => 0);
      for (const { source } of products.values()) counts[source] += 1;
      return counts;
    },
    lastSequence: async () => tables.counters.get("changes") ?? 0,
    changesAfter: async (sequence, limit) =>
      tables.changes
        .entries()
        .map(([rowId, changed]) => ({ rowId, sequence: changed }))
        .filter((change) => change.sequence > sequence)
        .sort((one, other) => one.sequence - other.sequence)
        .slice(0, limit),
    scan: async (afterRowId, limit) =>
      products
        .values()
        .filter(({ rowId }) => rowId > afterRowId)
        .slice(0, limit),
    pages: async (afterRowId, limit) =>
      products
        .values()
        .filter(({ rowId }) => rowId > afterRowId)
        .slice(0, limit)
        .map(({ rowId, slug, updatedAtMs }) => ({ rowId, slug, updatedAtMs })),
    lastRowId: async () => products.values().at(-1)?.rowId ?? 0,
  };
}

/** Identifiers are numbers of equal length, so they sort like texts. */
function isLater(entry: PriceEntry, { id, atMs }: Pick<PriceEntry, "id" | "atMs">): boolean {
  return entry.atMs > atMs || (entry.atMs === atMs && entry.id > id);
}
