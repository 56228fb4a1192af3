import { asWebhookType } from "@product-search/core/domain/webhook-event.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type {
  AttemptRecord,
  DeliveryRecord,
  DisabledReason,
  KeyRotation,
  NewWebhook,
  RotationOutcome,
  WebhookRecord,
  WebhookReference,
  WebhookStore,
} from "@product-search/core/ports/webhooks.ts";
import { type Kysely, type Selectable, sql } from "kysely";
import { activeTraceparent } from "../database/active-traceparent.ts";
import { type NewId, randomId } from "../database/random-id.ts";
import type { Database, DeliveriesTable, DeliveryAttemptsTable, WebhooksTable } from "../database/schema.ts";
import { transact } from "../database/transact.ts";

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

type DeliveryRow = Selectable<DeliveriesTable> & {
  event_id: string;
  type: string;
  body: string;
  void_through: number;
};

function toWebhookRecord(row: Selectable<WebhooksTable>): WebhookRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    type: asWebhookType(row.type),
    ...(row.product_ids !== null && { productIds: JSON.parse(row.product_ids) }),
    createdAtMs: row.created_at,
    ...(row.disabled_at !== null && {
      disabled: { atMs: row.disabled_at, reason: asReason(row.disabled_reason) },
    }),
  };
}

function toDeliveryRecord(row: DeliveryRow, attempts: readonly AttemptRecord[]): DeliveryRecord {
  const status = statusOf(row);
  return {
    id: row.id,
    eventId: row.event_id,
    type: asWebhookType(row.type),
    test: row.kind === "test",
    status,
    createdAtMs: row.created_at,
    ...(status === "pending" && { nextAttemptAtMs: row.due_at }),
    ...(row.replay_of !== null && { replayOf: row.replay_of }),
    body: row.body,
    attempts: [...attempts],
  };
}

function toAttemptRecord(row: Selectable<DeliveryAttemptsTable>): AttemptRecord {
  return {
    attemptedAtMs: row.attempted_at,
    durationMs: row.duration_ms,
    ...(row.response_status !== null && { responseStatus: row.response_status }),
    ...(row.response_body !== null && { responseBody: row.response_body }),
    ...(row.error !== null && { error: row.error }),
  };
}

/** A voided delivery is marked later, but already counts as failed. */
function statusOf({ status, row_id, void_through }: DeliveryRow): DeliveryRecord["status"] {
  if (status === "succeeded" || status === "failed") return status;
  return row_id <= void_through ? "failed" : "pending";
}

function asReason(text: string | null): DisabledReason {
  return text === "gone" ? "gone" : "failing";
}

type DeliveryLog = Pick<
  WebhookStore,
  "listDeliveries" | "findDelivery" | "queueTest" | "queueReplay" | "countPending"
>;

/** The deliveries of one webhook, including those sent on request. */
function createDeliveryLog({
  db,
  clock,
  newId,
}: {
  db: Kysely<Database>;
  clock: Clock;
  newId: NewId;
}): DeliveryLog {
  const webhookOf = ({ accountId, webhookId }: WebhookReference) =>
    db
      .selectFrom("webhooks")
      .select(["row_id", "type"])
      .where("account_id", "=", accountId)
      .where("id", "=", webhookId)
      .where("deleted_at", "is", null)
      .executeTakeFirst();

  async function findRow(webhook: WebhookReference, deliveryId: string): Promise<DeliveryRow | undefined> {
    return deliveries(db)
      .where("webhooks.account_id", "=", webhook.accountId)
      .where("webhooks.id", "=", webhook.webhookId)
      .where("webhooks.deleted_at", "is", null)
      .where("deliveries.id", "=", deliveryId)
      .executeTakeFirst();
  }

  /** A delivery that is due now. */
  async function queue(
    into: Kysely<Database>,
    delivery: {
      webhook_row_id: number;
      event_row_id: number;
      kind: "test" | "replay";
      replay_of: string | null;
    },
  ): Promise<DeliveryRecord> {
    const id = newId("dl_");
    const nowMs = clock.now();
    await into
      .insertInto("deliveries")
      .values({
        ...delivery,
        id,
        status: "pending",
        attempts: 0,
        due_at: nowMs,
        created_at: nowMs,
        worker: null,
      })
      .execute();
    return toDeliveryRecord(
      await deliveries(into).where("deliveries.id", "=", id).executeTakeFirstOrThrow(),
      [],
    );
  }

  return {
    async listDeliveries(webhook, { limit, before }) {
      const owner = await webhookOf(webhook);
      if (owner === undefined) return undefined;
      const newest = deliveries(db)
        .where("deliveries.webhook_row_id", "=", owner.row_id)
        .orderBy("deliveries.row_id", "desc")
        .limit(limit + 1);
      const rows = await (before === undefined
        ? newest
        : newest.where("deliveries.row_id", "<", before)
      ).execute();
      const page = rows.slice(0, limit);
      const attempts = await attemptsOf(db, page);
      const next = rows.length > limit ? page.at(-1)?.row_id : undefined;
      return {
        deliveries: page.map((row) => toDeliveryRecord(row, attempts.get(row.row_id) ?? [])),
        ...(next !== undefined && { next }),
      };
    },

    async findDelivery(webhook, deliveryId) {
      const row = await findRow(webhook, deliveryId);
      if (row === undefined) return undefined;
      return toDeliveryRecord(row, (await attemptsOf(db, [row])).get(row.row_id) ?? []);
    },

    async queueTest(webhook, body) {
      const owner = await webhookOf(webhook);
      if (owner === undefined) return undefined;
      return transact(db, async (transaction) => {
        const event = await transaction
          .insertInto("webhook_events")
          .values({
            id: newId("ev_"),
            type: owner.type,
            body,
            created_at: clock.now(),
            traceparent: activeTraceparent(),
          })
          .returning("row_id")
          .executeTakeFirstOrThrow();
        const delivery = { webhook_row_id: owner.row_id, event_row_id: event.row_id };
        return queue(transaction, { ...delivery, kind: "test", replay_of: null });
      });
    },

    async queueReplay(webhook, deliveryId) {
      const original = await findRow(webhook, deliveryId);
      if (original === undefined) return undefined;
      const { webhook_row_id, event_row_id, kind } = original;
      const repeated = kind === "test" ? "test" : "replay";
      return queue(db, { webhook_row_id, event_row_id, kind: repeated, replay_of: deliveryId });
    },

    async countPending() {
      // A literal and not a parameter: only then is the index of waiting deliveries used.
      const { rows } = await sql<{ count: number }>`
        select coalesce(sum((
          select count(*) from deliveries
          where webhook_row_id = webhooks.row_id and status = 'pending' and worker is null
            and row_id > webhooks.void_through)), 0) as count
        from webhooks where deleted_at is null`.execute(db);
      return rows[0]?.count ?? 0;
    },
  };
}

function deliveries(db: Kysely<Database>) {
  return db
    .selectFrom("deliveries")
    .innerJoin("webhooks", "webhooks.row_id", "deliveries.webhook_row_id")
    .innerJoin("webhook_events", "webhook_events.row_id", "deliveries.event_row_id")
    .selectAll("deliveries")
    .select([
      "webhook_events.id as event_id",
      "webhook_events.type",
      "webhook_events.body",
      "webhooks.void_through",
    ]);
}

async function attemptsOf(
  db: Kysely<Database>,
  rows: readonly DeliveryRow[],
): Promise<Map<number, AttemptRecord[]>> {
  const attempts = await db
    .selectFrom("delivery_attempts")
    .selectAll()
    .where("delivery_row_id", "in", rows.length === 0 ? [-1] : rows.map((row) => row.row_id))
    .orderBy("delivery_row_id")
    .orderBy("number")
    .execute();
  const grouped = Map.groupBy(attempts, (attempt) => attempt.delivery_row_id);
  return new Map([...grouped].map(([rowId, group]) => [rowId, group.map(toAttemptRecord)]));
}
