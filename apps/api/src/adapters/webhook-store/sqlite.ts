import { type Kysely, sql } from "kysely";
import type { Clock } from "../../ports/clock.ts";
import type { SecretBox } from "../../ports/secret-box.ts";
import type { NewWebhook, WebhookReference, WebhookStore } from "../../ports/webhook-store.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { randomId } from "../database/random-id.ts";
import type { Database } from "../database/schema.ts";
import { createDeliveryLog } from "./delivery-log.ts";
import { createKeyRotation } from "./key-rotation.ts";
import { toWebhookRecord } from "./records.ts";

export interface WebhookStoreSettings {
  db: Kysely<Database>;
  clock: Clock;
  secretBox: SecretBox;
}

export function createSqliteWebhookStore({ db, clock, secretBox }: WebhookStoreSettings): WebhookStore {
  const living = (accountId?: string) => {
    const all = db
      .selectFrom("webhooks")
      .selectAll()
      .where("deleted_at", "is", null)
      .orderBy("row_id", "desc");
    return accountId === undefined ? all : all.where("account_id", "=", accountId);
  };
  const change = ({ accountId, webhookId }: WebhookReference) =>
    db
      .updateTable("webhooks")
      .where("account_id", "=", accountId)
      .where("id", "=", webhookId)
      .where("deleted_at", "is", null);

  /** The statement that inserts is the one that counts: of two requests at once only one gets the last place. */
  const insertBelow = (limit: number, webhook: NewWebhook, transaction: Kysely<Database>) =>
    transaction
      .insertInto("webhooks")
      .columns(["id", "account_id", "url", "type", "product_ids", "key", "created_at", "void_through"])
      .expression(
        transaction
          .selectNoFrom([
            sql<string>`${randomId("wh_")}`.as("id"),
            sql<string>`${webhook.accountId}`.as("account_id"),
            sql<string>`${webhook.url}`.as("url"),
            sql<string>`${webhook.type}`.as("type"),
            sql<string | null>`${webhook.productIds ? JSON.stringify(webhook.productIds) : null}`.as(
              "product_ids",
            ),
            sql<Uint8Array>`${secretBox.seal(webhook.key)}`.as("key"),
            sql<number>`${clock.now()}`.as("created_at"),
            sql<number>`0`.as("void_through"),
          ])
          .where(
            sql<number>`(select count(*) from webhooks where account_id = ${webhook.accountId} and deleted_at is null)`,
            "<",
            limit,
          ),
      )
      .returningAll()
      .executeTakeFirst();

  const replaceKey = createKeyRotation(clock);

  return {
    ...createDeliveryLog({ db, clock }),

    create: (webhook, limit) =>
      inTransaction(db, async (transaction) => {
        const row = await insertBelow(limit, webhook, transaction);
        if (row === undefined) return undefined;
        for (const productId of webhook.productIds ?? []) {
          await transaction
            .insertInto("webhook_products")
            .values({ product_id: productId, webhook_row_id: row.row_id })
            .execute();
        }
        return toWebhookRecord(row);
      }),

    async find({ accountId, webhookId }) {
      const row = await living(accountId).where("id", "=", webhookId).executeTakeFirst();
      return row && toWebhookRecord(row);
    },

    async list(accountId) {
      return (await living(accountId).execute()).map(toWebhookRecord);
    },

    async remove(webhook) {
      const changed = await change(webhook).set({ deleted_at: clock.now() }).executeTakeFirst();
      return changed.numUpdatedRows > 0n;
    },

    replaceKey: (webhook, key, rotation) =>
      inTransaction(db, (transaction) => replaceKey(transaction, webhook, secretBox.seal(key), rotation)),

    async enable(webhook) {
      const row = await change(webhook)
        .set({ disabled_at: null, disabled_reason: null, failing_since: null })
        .returningAll()
        .executeTakeFirst();
      return row && toWebhookRecord(row);
    },
  };
}
