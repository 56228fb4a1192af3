import type { Kysely } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

export const gtin: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema.alterTable("products").addColumn("gtin", "text").execute();
  },
};
