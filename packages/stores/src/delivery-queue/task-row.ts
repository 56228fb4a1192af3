import type { DeliveryTask, WaitingWebhook } from "@product-search/core/ports/delivery-queue.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** A leased delivery in the form that both databases return. */
export interface TaskRow {
  key: number;
  attempts: number;
  failures: number;
  kind: string;
  eventId: string;
  body: string;
  traceparent: string | null;
  url: string;
}

export function toTask(row: TaskRow, webhook: WaitingWebhook, keys: SigningKeys): DeliveryTask {
  return {
    key: row.key,
    webhook,
    url: row.url,
    eventId: row.eventId,
    body: row.body,
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
    ...keys,
    test: row.kind === "test",
    attempt: row.attempts + 1,
    failures: row.failures,
  };
}
