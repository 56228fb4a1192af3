import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

/** The number under the barcode of a product. */
export const gtin = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema.alterTable("products").addColumn("gtin", "text").execute();
  },
};
