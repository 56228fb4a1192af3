import type { Clock } from "@product-search/core/ports/clock.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type {
  KeyRotation,
  NewWebhook,
  RotationOutcome,
  WebhookReference,
  WebhookStore,
} from "@product-search/core/ports/webhooks.ts";
import type { Kysely } from "kysely";
import { type NewId, randomId } from "../database/random-id.ts";
import type { Database } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { createDeliveryLog } from "./delivery-log.ts";
import { toWebhookRecord } from "./records.ts";

export interface WebhookStoreSettings {
  db: Kysely<Database>;
  clock: Clock;
  secretBox: SecretBox;
  newId?: NewId;
}

/** For SQLite and PostgreSQL. */
export function createSqlWebhookStore({
  db,
  clock,
  secretBox,
  newId = randomId,
}: WebhookStoreSettings): WebhookStore {
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

  /** One at a time per account, so that only one of two concurrent requests gets the last place. */
  const isFull = async (transaction: Kysely<Database>, accountId: string, limit: number) => {
    await lockAccount(transaction, accountId);
    const { webhooks } = await transaction
      .selectFrom("webhooks")
      .select((select) => select.fn.countAll<number>().as("webhooks"))
      .where("account_id", "=", accountId)
      .where("deleted_at", "is", null)
      .executeTakeFirstOrThrow();
    return webhooks >= limit;
  };
  const insert = (transaction: Kysely<Database>, { accountId, url, type, productIds, key }: NewWebhook) =>
    transaction
      .insertInto("webhooks")
      .values({
        id: newId("wh_"),
        account_id: accountId,
        url,
        type,
        product_ids: productIds ? JSON.stringify(productIds) : null,
        key: secretBox.seal(key),
        created_at: clock.now(),
        void_through: 0,
      })
      .returningAll()
      .executeTakeFirstOrThrow();

  const replaceKey = createKeyRotation(clock);

  return {
    ...createDeliveryLog({ db, clock, newId }),

    create: (webhook, limit) =>
      transact(db, async (transaction) => {
        if (await isFull(transaction, webhook.accountId, limit)) return undefined;
        const row = await insert(transaction, webhook);
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
      transact(db, (transaction) => replaceKey(transaction, webhook, secretBox.seal(key), rotation)),

    async enable(webhook) {
      const row = await change(webhook)
        .set({ disabled_at: null, disabled_reason: null, failing_since: null })
        .returningAll()
        .executeTakeFirst();
      return row && toWebhookRecord(row);
    },
  };
}

/**
 * Locks the account until the transaction ends. The statement changes nothing, but PostgreSQL locks the rows that it
 * writes. SQLite has only one writer at a time and needs no lock.
 */
async function lockAccount(transaction: Kysely<Database>, accountId: string): Promise<void> {
  await transaction
    .updateTable("accounts")
    .set((row) => ({ created_at: row.ref("created_at") }))
    .where("id", "=", accountId)
    .execute();
}

type RotateKey = (
  transaction: Kysely<Database>,
  webhook: WebhookReference,
  sealedKey: Uint8Array,
  rotation: KeyRotation,
) => Promise<RotationOutcome>;

/** The newest key is in the webhook's row; former keys have rows with their expiry. */
function createKeyRotation(clock: Clock): RotateKey {
  return async (transaction, { accountId, webhookId }, sealedKey, rotation) => {
    const webhook = await transaction
      .updateTable("webhooks")
      // Changes nothing but locks the row, so that of two concurrent rotations the second sees the first.
      .set((row) => ({ created_at: row.ref("created_at") }))
      .where("account_id", "=", accountId)
      .where("id", "=", webhookId)
      .where("deleted_at", "is", null)
      .returning(["row_id", "key"])
      .executeTakeFirst();
    if (webhook === undefined) return undefined;
    const { formerUntilMs, maxKeys, revokeFormer = false } = rotation;
    await removeEnded(transaction, webhook.row_id, revokeFormer ? Number.MAX_SAFE_INTEGER : clock.now());
    if (!revokeFormer) {
      const former = await formerTimes(transaction, webhook.row_id);
      const [oldestUntilMs] = former;
      if (oldestUntilMs !== undefined && former.length + 2 > maxKeys) return { oldestUntilMs };
      await transaction
        .insertInto("webhook_former_keys")
        .values({ webhook_row_id: webhook.row_id, key: webhook.key, until: formerUntilMs })
        .execute();
    }
    const row = await transaction
      .updateTable("webhooks")
      .set({ key: sealedKey })
      .where("row_id", "=", webhook.row_id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return { rotated: toWebhookRecord(row) };
  };
}

async function removeEnded(transaction: Kysely<Database>, webhook: number, untilMs: number): Promise<void> {
  await transaction
    .deleteFrom("webhook_former_keys")
    .where("webhook_row_id", "=", webhook)
    .where("until", "<=", untilMs)
    .execute();
}

/** The expiry of the former keys, earliest first. */
async function formerTimes(transaction: Kysely<Database>, webhook: number): Promise<number[]> {
  const rows = await transaction
    .selectFrom("webhook_former_keys")
    .select("until")
    .where("webhook_row_id", "=", webhook)
    .orderBy("until")
    .execute();
  return rows.map(({ until }) => until);
}
