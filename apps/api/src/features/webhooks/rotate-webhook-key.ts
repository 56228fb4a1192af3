import type { WebhookWithKey } from "@product-search/types";
import type { Clock } from "../../ports/clock.ts";
import type { Transact } from "../../ports/unit-of-work.ts";
import type { WebhookReference } from "../../ports/webhook-store.ts";
import { webhookNotFound } from "./not-found.ts";
import { createSigningKey } from "./signing-key.ts";
import { toWebhookWithKey } from "./to-webhook.ts";

const bothSignForMs = 24 * 3600 * 1000;

/** Gives the webhook a new key; the one before signs as well for a day, so that nobody has to hurry. */
export async function rotateWebhookKey(
  { clock, transact }: { clock: Clock; transact: Transact<WebhookWithKey> },
  webhook: WebhookReference,
): Promise<WebhookWithKey> {
  const key = createSigningKey();
  return transact(async ({ webhookStore }) => {
    const rotated = await webhookStore.replaceKey(webhook, key, clock.now() + bothSignForMs);
    if (rotated === undefined) throw webhookNotFound(webhook.webhookId);
    return toWebhookWithKey(rotated, key);
  });
}
