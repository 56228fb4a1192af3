import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  AttemptRecord,
  DeliveryRecord,
  WebhookReference,
  WebhookStore,
} from "@product-search/core/ports/webhooks.ts";
import { type Kysely, sql } from "kysely";
import { activeTraceparent } from "../database/active-traceparent.ts";
import type { NewId } from "../database/random-id.ts";
import type { Database } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { type DeliveryRow, toAttemptRecord, toDeliveryRecord } from "./records.ts";

type DeliveryLog = Pick<
  WebhookStore,
  "listDeliveries" | "findDelivery" | "queueTest" | "queueReplay" | "countPending"
>;

/** The deliveries of one webhook, including those sent on request. */
export function createDeliveryLog({
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
