import type { WebhookReference, WebhookStore } from "../../ports/webhook-store.ts";
import { webhookNotFound } from "./not-found.ts";

export async function deleteWebhook(
  { webhookStore }: { webhookStore: WebhookStore },
  webhook: WebhookReference,
): Promise<void> {
  if (!(await webhookStore.remove(webhook))) throw webhookNotFound(webhook.webhookId);
}
