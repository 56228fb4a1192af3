import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { WebhookReference } from "@product-search/core/ports/webhook-store.ts";
import type { WebhookDelivery } from "@product-search/types";
import { assertTarget } from "./assert-target.ts";
import { webhookNotFound } from "./not-found.ts";
import type { QueueDeps } from "./replay-delivery.ts";
import { sampleEvent } from "./sample-event.ts";
import { toWebhookDelivery } from "./to-webhook.ts";

/** Queues a sample event of the webhook's type, marked as a test. */
export async function testWebhook(
  deps: QueueDeps & Presentation & { clock: Clock },
  reference: WebhookReference,
): Promise<WebhookDelivery> {
  const { webhookStore, webhookHttp, clock, transact } = deps;
  const webhook = await webhookStore.find(reference);
  if (webhook === undefined) throw webhookNotFound(reference.webhookId);
  await assertTarget(webhookHttp, webhook.url);
  const body = JSON.stringify(sampleEvent(webhook.type, clock.now(), deps));
  return transact(async (stores) => {
    const delivery = await stores.webhookStore.queueTest(reference, body);
    if (delivery === undefined) throw webhookNotFound(reference.webhookId);
    return toWebhookDelivery(delivery);
  });
}
