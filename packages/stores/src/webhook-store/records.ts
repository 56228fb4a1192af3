import { asWebhookType } from "@product-search/core/domain/webhook-event.ts";
import type {
  AttemptRecord,
  DeliveryRecord,
  DisabledReason,
  WebhookRecord,
} from "@product-search/core/ports/webhooks.ts";
import type { Selectable } from "kysely";
import type { DeliveriesTable, DeliveryAttemptsTable, WebhooksTable } from "../database/schema.ts";

export type DeliveryRow = Selectable<DeliveriesTable> & {
  event_id: string;
  type: string;
  body: string;
  void_through: number;
};

export function toWebhookRecord(row: Selectable<WebhooksTable>): WebhookRecord {
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

export function toDeliveryRecord(row: DeliveryRow, attempts: readonly AttemptRecord[]): DeliveryRecord {
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

export function toAttemptRecord(row: Selectable<DeliveryAttemptsTable>): AttemptRecord {
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
