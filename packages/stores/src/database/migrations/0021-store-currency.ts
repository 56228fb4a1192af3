import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

/** The currency of the stored prices. At most one row. */
export const storeCurrency = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema
      .createTable("store_currency")
      .addColumn("slot", "integer", (column) => column.primaryKey())
      .addColumn("currency", "text", (column) => column.notNull())
      .execute();
  },
};
