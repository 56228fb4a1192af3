import type { Webhook } from "@product-search/types";
import type { WebhookReference, WebhookStore } from "../../ports/webhook-store.ts";
import { webhookNotFound } from "./not-found.ts";
import { toWebhook } from "./to-webhook.ts";

/** Later events are delivered again. What was missed in between is not sent by itself. */
export async function enableWebhook(
  { webhookStore }: { webhookStore: WebhookStore },
  webhook: WebhookReference,
): Promise<Webhook> {
  const enabled = await webhookStore.enable(webhook);
  if (enabled === undefined) throw webhookNotFound(webhook.webhookId);
  return toWebhook(enabled);
}
