import type { WebhookDelivery } from "@product-search/types";
import type { WebhookReference } from "../../ports/webhook-store.ts";
import { assertTarget } from "./assert-target.ts";
import type { WebhookDeps } from "./create-webhook.ts";
import { deliveryNotFound, webhookNotFound } from "./not-found.ts";
import { toWebhookDelivery } from "./to-webhook.ts";

/** Sends the same event, under the same identifier, as a delivery with attempts of its own. */
export async function replayDelivery(
  { webhookStore, webhookHttp }: WebhookDeps,
  reference: WebhookReference,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const webhook = await webhookStore.find(reference);
  if (webhook === undefined) throw webhookNotFound(reference.webhookId);
  if ((await webhookStore.findDelivery(reference, deliveryId)) === undefined)
    throw deliveryNotFound(deliveryId);
  await assertTarget(webhookHttp, webhook.url);
  const delivery = await webhookStore.queueReplay(reference, deliveryId);
  if (delivery === undefined) throw deliveryNotFound(deliveryId);
  return toWebhookDelivery(delivery);
}
