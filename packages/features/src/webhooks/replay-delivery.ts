import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookReference, WebhookStore } from "@product-search/core/ports/webhook-store.ts";
import type { WebhookDelivery } from "@product-search/types";
import { assertTarget } from "./assert-target.ts";
import { deliveryNotFound, webhookNotFound } from "./not-found.ts";
import { toWebhookDelivery } from "./to-webhook.ts";

/** The dependencies for queuing a delivery on request. */
export interface QueueDeps {
  webhookStore: Pick<WebhookStore, "find" | "findDelivery">;
  webhookHttp: Pick<OutboundHttp, "checkTarget">;
  transact: Transact<WebhookDelivery>;
}

/** Queues a new delivery of the same event, with the same identifier and its own attempts. */
export async function replayDelivery(
  { webhookStore, webhookHttp, transact }: QueueDeps,
  reference: WebhookReference,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const webhook = await webhookStore.find(reference);
  if (webhook === undefined) throw webhookNotFound(reference.webhookId);
  if ((await webhookStore.findDelivery(reference, deliveryId)) === undefined)
    throw deliveryNotFound(deliveryId);
  await assertTarget(webhookHttp, webhook.url);
  return transact(async (stores) => {
    const delivery = await stores.webhookStore.queueReplay(reference, deliveryId);
    if (delivery === undefined) throw deliveryNotFound(deliveryId);
    return toWebhookDelivery(delivery);
  });
}
