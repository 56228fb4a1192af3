import type {
  AttemptRecord,
  DeliveryRecord,
  WebhookRecord,
} from "@product-search/core/ports/webhook-store.ts";
import type { Webhook, WebhookDelivery, WebhookWithKey } from "@product-search/types";

/** The webhook in the form of lists: without its key. */
export function toWebhook(webhook: WebhookRecord): Webhook {
  const { disabled } = webhook;
  return {
    ...toRegistration(webhook),
    disabledAt: disabled ? toTime(disabled.atMs) : null,
    disabledReason: disabled?.reason ?? null,
  };
}

export function toWebhookWithKey(webhook: WebhookRecord, apiKey: string): WebhookWithKey {
  return { ...toRegistration(webhook), apiKey };
}

export function toWebhookDelivery(delivery: DeliveryRecord): WebhookDelivery {
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    webhookType: delivery.type,
    test: delivery.test,
    status: delivery.status,
    createdAt: toTime(delivery.createdAtMs),
    nextAttemptAt: delivery.nextAttemptAtMs === undefined ? null : toTime(delivery.nextAttemptAtMs),
    replayOf: delivery.replayOf ?? null,
    requestBody: delivery.body,
    attempts: delivery.attempts.map(toAttempt),
  };
}

function toRegistration(webhook: WebhookRecord) {
  return {
    id: webhook.id,
    webhookUrl: webhook.url,
    webhookType: webhook.type,
    parentId: webhook.accountId,
    ...(webhook.productIds && { productIds: [...webhook.productIds] }),
    createdAt: toTime(webhook.createdAtMs),
  };
}

function toAttempt(attempt: AttemptRecord) {
  return {
    attemptedAt: toTime(attempt.attemptedAtMs),
    durationMs: attempt.durationMs,
    responseStatus: attempt.responseStatus ?? null,
    responseBody: attempt.responseBody ?? null,
    error: attempt.error ?? null,
  };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
