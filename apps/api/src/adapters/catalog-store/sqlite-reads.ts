import type Sqlite from "better-sqlite3";
import { idPrefixOfSlug, productId } from "../../domain/identity.ts";
import type { ProductSource, StoredProduct } from "../../domain/product.ts";
import type { CatalogChange, CatalogStore } from "../../ports/catalog-store.ts";
import { preparePriceHistory } from "../database/price-history.ts";
import { asSource, fromRow, type ProductRow } from "./product-rows.ts";

/** Values are bound as `(select ?)` wherever the planner would look at them: see decision 0050. */
export function createReads(connection: Sqlite.Database): Omit<CatalogStore, "apply"> {
  const byRowId = connection.prepare<[number], ProductRow>("select * from products where row_id = ?");
  const byId = connection.prepare<[string], ProductRow>("select * from products where id = ?");
  const bySlug = connection.prepare<[string, string, string], ProductRow>(
    "select * from products where id >= (select ?) and id < (select ?) and slug = ?",
  );
  const history = preparePriceHistory(connection);
  const count = connection.prepare<[], { source: string; products: number }>(
    "select source, count(*) as products from products group by source",
  );
  const newest = connection.prepare<[], { sequence: number | null }>(
    "select max(sequence) as sequence from changes",
  );
  const after = connection.prepare<[number, number], CatalogChange>(
    "select sequence, product_row_id as rowId from changes where sequence > (select ?) order by sequence limit (select ?)",
  );
  const rows = connection.prepare<[number, number], ProductRow>(
    "select * from products where row_id > (select ?) order by row_id limit (select ?)",
  );
  // Outside a transaction each statement takes and gives back the lock of the store, which costs more than the row.
  const findByRowIds = connection.transaction((rowIds: readonly number[]) =>
    rowIds.flatMap((rowId) => {
      const row = byRowId.get(rowId);
      return row === undefined ? [] : [fromRow(row)];
    }),
  );
  const priceHistories = connection.transaction((rowIds: readonly number[], limit: number) =>
    rowIds.map((rowId) => history(rowId, limit)),
  );
  return {
    findByRowIds: async (rowIds) => findByRowIds(rowIds),
    findById: async (id) => optional(byId.get(id)),
    findBySlug: async (source, slug) => {
      if (source !== "catalog") return optional(byId.get(productId(source, slug)));
      const prefix = idPrefixOfSlug(slug);
      return prefix === undefined ? undefined : optional(bySlug.get(prefix, `${prefix}g`, slug));
    },
    priceHistories: async (rowIds, limit) => priceHistories(rowIds, limit),
    countBySource: async () => {
      const counts: Record<ProductSource, number> = { catalog: 0, "marketplace-a": 0, "marketplace-b": 0 };
      for (const { source, products } of count.all()) counts[asSource(source)] = products;
      return counts;
    },
    lastSequence: async () => newest.get()?.sequence ?? 0,
    changesAfter: async (sequence, limit) => after.all(sequence, limit),
    scan: async (afterRowId, limit) => rows.all(afterRowId, limit).map(fromRow),
  };
}

function optional(row: ProductRow | undefined): StoredProduct | undefined {
  return row && fromRow(row);
}
