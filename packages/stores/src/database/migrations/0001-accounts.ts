import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

export const accounts = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema
      .createTable("accounts")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("name", "text", (column) => column.notNull().unique())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("tokens")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
      .addColumn("hash", "blob", (column) => column.notNull().unique())
      .addColumn("hint", "text", (column) => column.notNull())
      .addColumn("scopes", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint")
      .addColumn("revoked_at", "bigint")
      .addColumn("last_used_at", "bigint")
      .execute();
    await db.schema
      .createTable("idempotency")
      .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
      .addColumn("operation", "text", (column) => column.notNull())
      .addColumn("key", "text", (column) => column.notNull())
      .addColumn("request_hash", "blob", (column) => column.notNull())
      .addColumn("status", "integer")
      .addColumn("body", "blob")
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("lease_until", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("idempotency_key", ["account_id", "operation", "key"])
      .execute();
    await db.schema.createIndex("idempotency_created_at").on("idempotency").column("created_at").execute();
  },
};
