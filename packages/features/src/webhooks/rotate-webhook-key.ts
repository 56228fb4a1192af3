import { ApiError } from "@product-search/core/errors.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookReference } from "@product-search/core/ports/webhook-store.ts";
import type { RotateWebhookKeyRequest, WebhookWithKey } from "@product-search/types";
import { webhookNotFound } from "./not-found.ts";
import { createSigningKey, type NewSigningKey } from "./signing-key.ts";
import { toWebhookWithKey } from "./to-webhook.ts";

const formerSignsForMs = 24 * 3600 * 1000;
const maxKeys = 3;

export interface RotateWebhookKeyDeps {
  clock: Clock;
  transact: Transact<WebhookWithKey>;
  /** Default: a random one. */
  newSigningKey?: NewSigningKey | undefined;
}

/**
 * Gives the webhook a new key. Unless they are revoked, former keys sign for another day, so that the owner can
 * switch.
 */
export async function rotateWebhookKey(
  { clock, transact, newSigningKey = createSigningKey }: RotateWebhookKeyDeps,
  webhook: WebhookReference,
  { revokeFormer = false }: RotateWebhookKeyRequest = {},
): Promise<WebhookWithKey> {
  const key = newSigningKey();
  const rotation = { formerUntilMs: clock.now() + formerSignsForMs, maxKeys, revokeFormer };
  return transact(async ({ webhookStore, audit }) => {
    const outcome = await webhookStore.replaceKey(webhook, key, rotation);
    if (outcome === undefined) throw webhookNotFound(webhook.webhookId);
    if ("oldestUntilMs" in outcome) throw tooManyKeys(outcome.oldestUntilMs);
    await audit.record("webhook.key_rotated", webhook.webhookId, { revokeFormer });
    return toWebhookWithKey(outcome.rotated, key);
  });
}

function tooManyKeys(oldestUntilMs: number): ApiError {
  const expiry = new Date(oldestUntilMs).toISOString();
  return new ApiError(
    "key_limit_reached",
    `This webhook has ${maxKeys} valid signing keys, the most that are allowed. The oldest expires at ${expiry}: rotate then, or send {"revokeFormer": true} to revoke the former keys now.`,
  );
}
