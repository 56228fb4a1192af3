import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";
import { addSerialKey } from "../serial-key.ts";

/**
 * A product's identifier is made from source and key, so a unique index of these says nothing more; and of two indexes in
 * different orders one is always written all over the place. SQLite drops no constraint: the table is made anew.
 */
export const productsById = {
  async up(db: Kysely<Database>): Promise<void> {
    await addSerialKey(db.schema.createTable("products_by_id"), "row_id")
      .addColumn("source", "text", (column) => column.notNull())
      .addColumn("key", "text", (column) => column.notNull())
      .addColumn("id", "text", (column) => column.notNull().unique())
      .addColumn("slug", "text", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("brand", "text")
      .addColumn("store_name", "text", (column) => column.notNull())
      .addColumn("description", "text", (column) => column.notNull())
      .addColumn("category", "text")
      .addColumn("url", "text", (column) => column.notNull())
      .addColumn("images", "text", (column) => column.notNull())
      .addColumn("price_minor", "bigint", (column) => column.notNull())
      .addColumn("original_price_minor", "bigint")
      .addColumn("availability", "text", (column) => column.notNull())
      .addColumn("average_rating", "real")
      .addColumn("review_count", "integer", (column) => column.notNull())
      .addColumn("is_verified", "integer", (column) => column.notNull())
      .addColumn("is_boosted", "integer", (column) => column.notNull())
      .addColumn("discount_val", "real", (column) => column.notNull())
      .addColumn("service_score", "real")
      .addColumn("price_since", "bigint", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("updated_at", "bigint", (column) => column.notNull())
      .execute();
    await sql`insert into products_by_id select * from products order by row_id`.execute(db);
    await db.schema.dropTable("products").execute();
    await db.schema.alterTable("products_by_id").renameTo("products").execute();
    // For counting; rows of a source are added at its end.
    await db.schema.createIndex("products_source").on("products").column("source").execute();
  },
};
