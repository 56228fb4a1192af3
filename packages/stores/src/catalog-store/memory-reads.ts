import type { PriceEntry, StoredProduct } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { MemoryDatabase } from "../database/memory/memory.ts";

export function createMemoryReads({
  tables,
}: MemoryDatabase): Omit<CatalogStore, "apply" | "applyEach" | "remove"> {
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
    findBySlug: async (source, slug) => productAt(tables.slugRows.get(`${source} ${slug}`)),
    priceHistories: async (rowIds, limit) => rowIds.map((rowId) => newest(rowId, limit)),
    priceHistory: async (rowId, { fromMs = -Infinity, toMs = Infinity, after }, limit) =>
      (prices.get(rowId) ?? [])
        .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
        .filter((entry) => after === undefined || isLater(entry, after))
        .slice(0, limit),

    async countBySource() {
      const counts = { catalog: 0, "marketplace-a": 0, "marketplace-b": 0 };
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
  };
}

/** Identifiers are numbers of equal length, so they sort like texts. */
function isLater(entry: PriceEntry, { id, atMs }: Pick<PriceEntry, "id" | "atMs">): boolean {
  return entry.atMs > atMs || (entry.atMs === atMs && entry.id > id);
}
