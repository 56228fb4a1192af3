import { idPrefixOfSlug, productId } from "@product-search/core/domain/identity.ts";
import type { ProductSource, StoredProduct } from "@product-search/core/domain/product.ts";
import { productSources } from "@product-search/core/domain/product.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import type { CatalogChange, CatalogReads, CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { addDeadLetter } from "../database/new-dead-letter.ts";
import { lastChange } from "../database/postgres/number-changes.ts";
import { newestPrices, pricesWithin } from "../database/postgres/postgres-tables.ts";
import type { ProductRow } from "../database/product-columns.ts";
import type { Database } from "../database/schema.ts";
import { createRowReader, isSource, type RowReader } from "./catalog-rows.ts";
import { createPostgresApply, type PostgresApplySettings } from "./postgres/apply.ts";

/** Writers lock only the products that they change; a transaction is mostly round trips and one write to disk. */
const batchMs = 100;

/** The catalog store of a service with several nodes. */
export function createPostgresCatalogStore(settings: PostgresApplySettings): CatalogStore {
  return { batchMs, ...createPostgresReads(settings.db, settings.clock), ...createPostgresApply(settings) };
}

function createPostgresReads(db: Kysely<Database>, clock: Clock): CatalogReads {
  const read = createRowReader(clock, (letter) => addDeadLetter(db, letter));
  const findByRowIds = async (rowIds: readonly number[]): Promise<StoredProduct[]> => {
    if (rowIds.length === 0) return [];
    const found =
      await sql<ProductRow>`select * from products where row_id = any(${rowIds}::bigint[])`.execute(db);
    const byRowId = new Map(found.rows.map((row) => [row.row_id, row]));
    return readAll(
      rowIds.flatMap((rowId) => byRowId.get(rowId) ?? []),
      read,
    );
  };
  const findById = async (id: string) => {
    const row = await db.selectFrom("products").selectAll().where("id", "=", id).executeTakeFirst();
    return row && read(row);
  };

  return {
    findByRowIds,
    async findWithHistory(rowIds, historyLimit) {
      const products = await findByRowIds(rowIds);
      const found = products.map(({ rowId }) => rowId);
      const histories = await newestPrices(db, found, historyLimit);
      return products.map((product, index) => ({ product, history: histories[index] ?? [] }));
    },
    findById,
    async findByIds(ids) {
      const found = await sql<ProductRow>`select * from products where id = any(${ids}::text[])`.execute(db);
      const byId = new Map(found.rows.map((row) => [row.id, row]));
      return readAll(
        ids.flatMap((id) => byId.get(id) ?? []),
        read,
      );
    },
    async rowIdsOf(ids) {
      const found = await sql<{
        id: string;
        row_id: number;
      }>`select id, row_id from products where id = any(${ids}::text[])`.execute(db);
      return new Map(found.rows.map((row) => [row.id, row.row_id]));
    },
    async findBySlug(source, slug) {
      if (source !== "catalog") return findById(productId(source, slug));
      const prefix = idPrefixOfSlug(slug);
      if (prefix === undefined) return undefined;
      const row = await db
        .selectFrom("products")
        .selectAll()
        .where("id", ">=", prefix)
        .where("id", "<", `${prefix}g`)
        .where("slug", "=", slug)
        .executeTakeFirst();
      return row && read(row);
    },
    async findGroup(source, groupId, limit) {
      const members = db.selectFrom("products").selectAll().where("group_id", "=", groupId);
      const page = members.where("source", "=", source).orderBy("row_id").limit(limit);
      return readAll(await page.execute(), read);
    },
    priceHistories: (rowIds, limit) => newestPrices(db, rowIds, limit),
    priceHistory: (rowId, range, limit) => pricesWithin(db, rowId, range, limit),
    countBySource: () => countBySource(db),
    lastSequence: () => lastChange(db, "changes"),
    async changesAfter(sequence, limit) {
      const found = await sql<CatalogChange>`
        select sequence, product_row_id as "rowId" from changes
        where sequence > ${sequence} order by sequence limit ${limit}`.execute(db);
      return found.rows;
    },
    scan: (afterRowId, limit) => scan(db, read, afterRowId, limit),
    pages: (afterRowId, limit) =>
      db
        .selectFrom("products")
        .select(["row_id as rowId", "slug", "updated_at as updatedAtMs"])
        .where("row_id", ">", afterRowId)
        .orderBy("row_id")
        .limit(limit)
        .execute(),
    async lastRowId() {
      const last = await db
        .selectFrom("products")
        .select("row_id")
        .orderBy("row_id", "desc")
        .limit(1)
        .executeTakeFirst();
      return last?.row_id ?? 0;
    },
  };
}

async function countBySource(db: Kysely<Database>): Promise<Record<ProductSource, number>> {
  const counts = recordOf(productSources, () => 0);
  const found = await sql<{ source: string; products: number }>`
    select source, count(*) as products from products group by source`.execute(db);
  for (const { source, products } of found.rows) if (isSource(source)) counts[source] = products;
  return counts;
}

/** An empty page means the end, so a page whose rows all cannot be read is skipped. */
async function scan(
  db: Kysely<Database>,
  read: RowReader,
  afterRowId: number,
  limit: number,
): Promise<StoredProduct[]> {
  for (let after = afterRowId; ; ) {
    const page = await db
      .selectFrom("products")
      .selectAll()
      .where("row_id", ">", after)
      .orderBy("row_id")
      .limit(limit)
      .execute();
    const products = readAll(page, read);
    const last = page.at(-1);
    if (products.length > 0 || last === undefined) return products;
    after = last.row_id;
  }
}

function readAll(rows: readonly ProductRow[], read: RowReader): StoredProduct[] {
  return rows.flatMap((row) => read(row) ?? []);
}
