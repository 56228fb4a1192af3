import { ApiError } from "@product-search/core/errors.ts";

/** The error for an unknown webhook, or one of another account: both look the same. */
export function webhookNotFound(webhookId: string): ApiError {
  return new ApiError(
    "webhook_not_found",
    `webhook_id: there is no webhook "${shortened(webhookId)}" in this account. GET /webhooks lists the webhooks.`,
  );
}

export function deliveryNotFound(deliveryId: string): ApiError {
  return new ApiError(
    "delivery_not_found",
    `delivery_id: this webhook has no delivery "${shortened(deliveryId)}". Deliveries are kept for 30 days; GET /webhooks/{webhook_id}/deliveries lists them.`,
  );
}

function shortened(id: string): string {
  return id.length > 64 ? `${id.slice(0, 64)}…` : id;
}
