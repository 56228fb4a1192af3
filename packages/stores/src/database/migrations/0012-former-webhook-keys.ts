import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";
import { addSerialKey } from "../serial-key.ts";

/** A webhook may have several former keys, each with a time of its own. */
export const formerWebhookKeys = {
  async up(db: Kysely<Database>): Promise<void> {
    await addSerialKey(db.schema.createTable("webhook_former_keys"), "row_id")
      .addColumn("webhook_row_id", "integer", (column) => column.notNull().references("webhooks.row_id"))
      .addColumn("key", "blob", (column) => column.notNull())
      .addColumn("until", "bigint", (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex("webhook_former_keys_webhook")
      .on("webhook_former_keys")
      .column("webhook_row_id")
      .execute();
    await db.schema
      .createIndex("webhook_former_keys_until")
      .on("webhook_former_keys")
      .column("until")
      .execute();
    await sql`insert into webhook_former_keys (webhook_row_id, key, until)
      select row_id, former_key, former_key_until from webhooks where former_key is not null`.execute(db);
    await db.schema.alterTable("webhooks").dropColumn("former_key").execute();
    await db.schema.alterTable("webhooks").dropColumn("former_key_until").execute();
  },
};
