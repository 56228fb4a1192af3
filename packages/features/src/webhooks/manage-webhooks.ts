import { randomBytes } from "node:crypto";
import { asciiUrl } from "@product-search/core/domain/ascii-url.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookReference, WebhookStore } from "@product-search/core/ports/webhook-store.ts";
import type {
  CreateWebhookRequest,
  RotateWebhookKeyRequest,
  Webhook,
  WebhookWithKey,
} from "@product-search/types";
import { assertTarget } from "./assert-target.ts";
import { webhookNotFound } from "./not-found.ts";
import { toWebhook, toWebhookWithKey } from "./to-webhook.ts";

export const webhooksPerAccount = 100;

export interface CreateWebhookDeps {
  webhookHttp: Pick<OutboundHttp, "checkTarget">;
  transact: Transact<WebhookWithKey>;
  /** Default: a random one. */
  newSigningKey?: NewSigningKey | undefined;
}

/** Registers a target. The signing key is returned only in this response. */
export async function createWebhook(
  { webhookHttp, transact, newSigningKey = createSigningKey }: CreateWebhookDeps,
  accountId: string,
  { webhookUrl, webhookType, productIds }: CreateWebhookRequest,
): Promise<WebhookWithKey> {
  assertIdentifiers(productIds ?? []);
  const url = asciiUrl(webhookUrl);
  await assertTarget(webhookHttp, url);
  const key = newSigningKey();
  const wanted = { accountId, url, type: webhookType, key, ...(productIds && { productIds }) };
  return transact(async ({ webhookStore, audit }) => {
    const webhook = await webhookStore.create(wanted, webhooksPerAccount);
    if (webhook === undefined) {
      throw new ApiError(
        "webhook_limit_reached",
        `This account has ${webhooksPerAccount} webhooks, which is the maximum. Delete one that you no longer need.`,
      );
    }
    await audit.record("webhook.created", webhook.id, { webhookType });
    return toWebhookWithKey(webhook, key);
  });
}

/** No product has such an identifier, and not every database can store it. */
function assertIdentifiers(productIds: readonly string[]): void {
  const index = productIds.findIndex((id) => id.includes("\u0000") || !id.isWellFormed());
  if (index === -1) return;
  const fault = productIds[index]?.includes("\u0000") ? "the character U+0000" : "half of a surrogate pair";
  throw new ApiError(
    "invalid_request",
    `productIds[${index}]: contains ${fault}, which no identifier has. Send the _id of a product from a response.`,
  );
}

export async function listWebhooks(
  { webhookStore }: { webhookStore: WebhookStore },
  accountId: string,
): Promise<Webhook[]> {
  return (await webhookStore.list(accountId)).map(toWebhook);
}

/** Later events are delivered again. Missed events are not sent automatically. */
export async function enableWebhook(
  { transact }: { transact: Transact<Webhook> },
  webhook: WebhookReference,
): Promise<Webhook> {
  return transact(async ({ webhookStore, audit }) => {
    const enabled = await webhookStore.enable(webhook);
    if (enabled === undefined) throw webhookNotFound(webhook.webhookId);
    await audit.record("webhook.enabled", webhook.webhookId);
    return toWebhook(enabled);
  });
}

export async function deleteWebhook(
  { transact }: { transact: Transact<void> },
  webhook: WebhookReference,
): Promise<void> {
  await transact(async ({ webhookStore, audit }) => {
    if (!(await webhookStore.remove(webhook))) throw webhookNotFound(webhook.webhookId);
    await audit.record("webhook.deleted", webhook.webhookId);
  });
}

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

const keyBytes = 24;

export type NewSigningKey = () => string;

/** A signing secret as the Standard Webhooks specification writes it. */
export function createSigningKey(): string {
  return `whsec_${randomBytes(keyBytes).toString("base64")}`;
}
