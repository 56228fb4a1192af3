import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

/** What operators add to the shipped synonyms, and which of these they take away. */
export const synonyms = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema
      .createTable("synonyms")
      .addColumn("rule", "text", (column) => column.primaryKey())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("edit", "integer", (column) => column.notNull())
      .execute();
  },
};
