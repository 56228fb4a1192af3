import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

/** The language of a product's texts, if its feed tells it. */
export const productLanguage = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema.alterTable("products").addColumn("language", "text").execute();
  },
};
