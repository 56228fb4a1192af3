import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookReference } from "@product-search/core/ports/webhook-store.ts";
import { webhookNotFound } from "./not-found.ts";

export async function deleteWebhook(
  { transact }: { transact: Transact<void> },
  webhook: WebhookReference,
): Promise<void> {
  await transact(async ({ webhookStore, audit }) => {
    if (!(await webhookStore.remove(webhook))) throw webhookNotFound(webhook.webhookId);
    await audit.record("webhook.deleted", webhook.webhookId);
  });
}
