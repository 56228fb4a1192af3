import type { WebhookStore } from "@product-search/core/ports/webhook-store.ts";
import type { Webhook } from "@product-search/types";
import { toWebhook } from "./to-webhook.ts";

export async function listWebhooks(
  { webhookStore }: { webhookStore: WebhookStore },
  accountId: string,
): Promise<Webhook[]> {
  return (await webhookStore.list(accountId)).map(toWebhook);
}
