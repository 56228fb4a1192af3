import type { Clock } from "@product-search/core/ports/clock.ts";
import type { WrittenProducts } from "@product-search/core/ports/imports.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";

/** An interrupted import may be finished weeks after its feed was fetched. */
const keptMs = 60 * 24 * 3600 * 1000;

/** For SQLite and PostgreSQL. */
export function createSqlWrittenProducts({
  db,
  clock,
}: {
  db: Kysely<Database>;
  clock: Clock;
}): WrittenProducts {
  return {
    async note(productIds) {
      if (productIds.length === 0) return;
      const at = clock.now();
      // In one order, so that two requests with the same products do not deadlock.
      const rows = [...new Set(productIds)].toSorted().map((product_id) => ({ product_id, at }));
      await db
        .insertInto("written_products")
        .values(rows)
        .onConflict((conflict) => conflict.column("product_id").doUpdateSet({ at }))
        .execute();
    },
    async removeExpired(limit) {
      const expired = db
        .selectFrom("written_products")
        .select("product_id")
        .where("at", "<", clock.now() - keptMs)
        .limit(limit);
      const removed = await db
        .deleteFrom("written_products")
        .where("product_id", "in", expired)
        .executeTakeFirst();
      return Number(removed.numDeletedRows);
    },
  };
}
