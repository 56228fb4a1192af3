import { ApiError } from "@product-search/core/errors.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookReference, WebhookStore } from "@product-search/core/ports/webhooks.ts";
import type { WebhookDelivery } from "@product-search/types";
import { assertTarget, deliveryNotFound, toWebhookDelivery, webhookNotFound } from "./manage-webhooks.ts";

interface DeliveriesPage {
  deliveries: WebhookDelivery[];
  nextCursor?: string;
}

const defaultLimit = 50;

export async function listDeliveries(
  { webhookStore }: { webhookStore: WebhookStore },
  webhook: WebhookReference,
  { limit = defaultLimit, cursor }: { limit?: number; cursor?: string },
): Promise<DeliveriesPage> {
  const before = cursor === undefined ? {} : { before: readCursor(cursor) };
  const page = await webhookStore.listDeliveries(webhook, { limit, ...before });
  if (page === undefined) throw webhookNotFound(webhook.webhookId);
  return {
    deliveries: page.deliveries.map(toWebhookDelivery),
    ...(page.next !== undefined && { nextCursor: writeCursor(page.next) }),
  };
}

/** Opaque, so that clients do not depend on its content. */
function writeCursor(before: number): string {
  return Buffer.from(`before ${before}`).toString("base64url");
}

function readCursor(cursor: string): number {
  const [, before] = /^before (\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (before === undefined) {
    throw new ApiError(
      "invalid_request",
      "cursor: is not valid. Send the nextCursor of the previous page, or no cursor for the first page.",
    );
  }
  return Number(before);
}

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
