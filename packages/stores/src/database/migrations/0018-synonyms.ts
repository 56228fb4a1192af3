import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

export const synonyms = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema
      .createTable("synonyms")
      .addColumn("slot", "integer", (column) => column.primaryKey())
      .addColumn("version", "text", (column) => column.notNull())
      .addColumn("added", "text", (column) => column.notNull())
      .addColumn("removed", "text", (column) => column.notNull())
      .execute();
  },
};
