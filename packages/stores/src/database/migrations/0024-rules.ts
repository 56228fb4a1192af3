import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

export const rules = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema
      .createTable("rules")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("position", "integer", (column) => column.notNull())
      .addColumn("definition", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("updated_at", "bigint", (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("rules_version")
      .addColumn("slot", "integer", (column) => column.primaryKey())
      .addColumn("version", "text", (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("rule_history")
      .addColumn("rule_id", "text", (column) => column.notNull())
      .addColumn("number", "integer", (column) => column.notNull())
      .addColumn("change", "text", (column) => column.notNull())
      .addColumn("at", "bigint", (column) => column.notNull())
      .addColumn("rule", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("rule_history_key", ["rule_id", "number"])
      .execute();
    await db.schema.createIndex("rule_history_at").on("rule_history").column("at").execute();
  },
};
