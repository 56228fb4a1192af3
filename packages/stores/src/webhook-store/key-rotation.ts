import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  KeyRotation,
  RotationOutcome,
  WebhookReference,
} from "@product-search/core/ports/webhook-store.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";
import { toWebhookRecord } from "./records.ts";

type RotateKey = (
  transaction: Kysely<Database>,
  webhook: WebhookReference,
  sealedKey: Uint8Array,
  rotation: KeyRotation,
) => Promise<RotationOutcome>;

/** The newest key is in the webhook's row; former keys have rows with their expiry. */
export function createKeyRotation(clock: Clock): RotateKey {
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
