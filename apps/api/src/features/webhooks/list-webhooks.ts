import type { Webhook } from "@product-search/types";
import type { WebhookStore } from "../../ports/webhook-store.ts";
import { toWebhook } from "./to-webhook.ts";

export async function listWebhooks(
  { webhookStore }: { webhookStore: WebhookStore },
  accountId: string,
): Promise<Webhook[]> {
  return (await webhookStore.list(accountId)).map(toWebhook);
}
