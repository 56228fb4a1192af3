import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookReference } from "@product-search/core/ports/webhook-store.ts";
import type { Webhook } from "@product-search/types";
import { webhookNotFound } from "./not-found.ts";
import { toWebhook } from "./to-webhook.ts";

/** Later events are delivered again. Missed events are not sent automatically. */
export async function enableWebhook(
  { transact }: { transact: Transact<Webhook> },
  webhook: WebhookReference,
): Promise<Webhook> {
  return transact(async ({ webhookStore, audit }) => {
    const enabled = await webhookStore.enable(webhook);
    if (enabled === undefined) throw webhookNotFound(webhook.webhookId);
    await audit.record("webhook.enabled", webhook.webhookId);
    return toWebhook(enabled);
  });
}
