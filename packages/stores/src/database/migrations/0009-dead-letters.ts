import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";
import { addSerialKey } from "../serial-key.ts";

export const deadLetters = {
  async up(db: Kysely<Database>): Promise<void> {
    await addSerialKey(db.schema.createTable("dead_letters"), "row_id")
      .addColumn("id", "text", (column) => column.notNull().unique())
      .addColumn("queue", "text", (column) => column.notNull())
      .addColumn("item", "text", (column) => column.notNull())
      .addColumn("error", "text", (column) => column.notNull())
      .addColumn("failures", "integer", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addUniqueConstraint("dead_letters_item", ["queue", "item"])
      .execute();
    await db.schema
      .alterTable("deliveries")
      .addColumn("failures", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable("secret_checks")
      .addColumn("slot", "integer", (column) => column.primaryKey())
      .addColumn("sealed", "blob", (column) => column.notNull())
      .execute();
  },
};
