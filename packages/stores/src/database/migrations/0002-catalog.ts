import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";
import { addSerialKey } from "../serial-key.ts";

export const catalog = {
  async up(db: Kysely<Database>): Promise<void> {
    await addSerialKey(db.schema.createTable("products"), "row_id")
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
      .addUniqueConstraint("products_source_key", ["source", "key"])
      .execute();

    await addSerialKey(db.schema.createTable("price_history"), "id")
      .addColumn("product_row_id", "integer", (column) => column.notNull().references("products.row_id"))
      .addColumn("price_minor", "bigint", (column) => column.notNull())
      .addColumn("at", "bigint", (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex("price_history_product")
      .on("price_history")
      // The price too, so that a history is read from the index alone.
      .columns(["product_row_id", "at", "price_minor"])
      .execute();

    await addSerialKey(db.schema.createTable("changes"), "sequence")
      // One row a product: a newer change replaces the older, so that the log stays as long as the catalog.
      .addColumn("product_row_id", "integer", (column) => column.notNull().unique())
      .execute();
  },
};
