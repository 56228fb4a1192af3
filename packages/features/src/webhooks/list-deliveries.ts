import { ApiError } from "@product-search/core/errors.ts";
import type { WebhookReference, WebhookStore } from "@product-search/core/ports/webhook-store.ts";
import type { WebhookDelivery } from "@product-search/types";
import { webhookNotFound } from "./not-found.ts";
import { toWebhookDelivery } from "./to-webhook.ts";

export interface DeliveriesPage {
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
