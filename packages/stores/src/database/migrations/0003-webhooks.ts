import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";
import { addSerialKey } from "../serial-key.ts";

export const webhooks = {
  async up(db: Kysely<Database>): Promise<void> {
    await createWebhooks(db);
    await createEvents(db);
    await createDeliveries(db);
  },
};

async function createWebhooks(db: Kysely<Database>): Promise<void> {
  await addSerialKey(db.schema.createTable("webhooks"), "row_id")
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("product_ids", "text")
    .addColumn("key", "blob", (column) => column.notNull())
    .addColumn("former_key", "blob")
    .addColumn("former_key_until", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("failing_since", "bigint")
    .addColumn("disabled_at", "bigint")
    .addColumn("disabled_reason", "text")
    .addColumn("void_through", "integer", (column) => column.notNull())
    .addColumn("deleted_at", "bigint")
    .execute();
  await db.schema.createIndex("webhooks_account").on("webhooks").columns(["account_id", "row_id"]).execute();
  await db.schema
    .createIndex("webhooks_of_all_products")
    .on("webhooks")
    .column("type")
    .where(sql<boolean>`product_ids is null and disabled_at is null and deleted_at is null`)
    .execute();

  await db.schema
    .createTable("webhook_products")
    .addColumn("product_id", "text", (column) => column.notNull())
    .addColumn("webhook_row_id", "integer", (column) => column.notNull().references("webhooks.row_id"))
    .addPrimaryKeyConstraint("webhook_products_key", ["product_id", "webhook_row_id"])
    .execute();
  await db.schema
    .createIndex("webhook_products_webhook")
    .on("webhook_products")
    .column("webhook_row_id")
    .execute();
}

async function createEvents(db: Kysely<Database>): Promise<void> {
  await addSerialKey(db.schema.createTable("webhook_events"), "row_id")
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
}

async function createDeliveries(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable("delivery_workers")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("beat", "integer", (column) => column.notNull())
    .execute();
  await addSerialKey(db.schema.createTable("deliveries"), "row_id")
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("webhook_row_id", "integer", (column) => column.notNull().references("webhooks.row_id"))
    .addColumn("event_row_id", "integer", (column) => column.notNull().references("webhook_events.row_id"))
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("replay_of", "text")
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("due_at", "bigint", (column) => column.notNull())
    .addColumn("worker", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("deliveries_webhook")
    .on("deliveries")
    .columns(["webhook_row_id", "row_id"])
    .execute();
  await db.schema.createIndex("deliveries_event").on("deliveries").column("event_row_id").execute();
  await db.schema
    .createIndex("deliveries_waiting")
    .on("deliveries")
    .columns(["webhook_row_id", "due_at"])
    .where(sql<boolean>`status = 'pending' and worker is null`)
    .execute();
  await db.schema
    .createIndex("deliveries_taken")
    .on("deliveries")
    .column("worker")
    .where(sql<boolean>`worker is not null`)
    .execute();
  await db.schema
    .createTable("delivery_attempts")
    .addColumn("delivery_row_id", "integer", (column) => column.notNull().references("deliveries.row_id"))
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("attempted_at", "bigint", (column) => column.notNull())
    .addColumn("duration_ms", "integer", (column) => column.notNull())
    .addColumn("response_status", "integer")
    .addColumn("response_body", "text")
    .addColumn("error", "text")
    .addPrimaryKeyConstraint("delivery_attempts_key", ["delivery_row_id", "number"])
    .execute();
}
