import { randomBytes } from "node:crypto";
import { asciiUrl } from "@product-search/core/domain/urls.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { isShort } from "@product-search/core/ports/idempotency-store.ts";
import { OutboundError, type OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type {
  AttemptRecord,
  DeliveryRecord,
  WebhookRecord,
  WebhookReference,
  WebhookStore,
} from "@product-search/core/ports/webhooks.ts";
import type {
  CreateWebhookRequest,
  RotateWebhookKeyRequest,
  Webhook,
  WebhookDelivery,
  WebhookWithKey,
} from "@product-search/types";

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

/** Refuses a target that deliveries may never reach. */
export async function assertTarget(
  webhookHttp: Pick<OutboundHttp, "checkTarget">,
  url: string,
): Promise<void> {
  try {
    await webhookHttp.checkTarget(url);
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    throw new ApiError("webhook_target_forbidden", `webhookUrl: ${cause.message}`, { cause });
  }
}

/** The error for an unknown webhook, or one of another account: both look the same. */
export function webhookNotFound(webhookId: string): ApiError {
  return new ApiError(
    "webhook_not_found",
    `webhook_id: there is no webhook "${shortened(webhookId)}" in this account. GET /webhooks lists the webhooks.`,
  );
}

function deliveryNotFound(deliveryId: string): ApiError {
  return new ApiError(
    "delivery_not_found",
    `delivery_id: this webhook has no delivery "${shortened(deliveryId)}". Deliveries are kept for 30 days; GET /webhooks/{webhook_id}/deliveries lists them.`,
  );
}

function shortened(id: string): string {
  return id.length > 64 ? `${id.slice(0, 64)}…` : id;
}

/** The webhook in the form of lists: without its key. */
export function toWebhook(webhook: WebhookRecord): Webhook {
  const { disabled } = webhook;
  return {
    ...toRegistration(webhook),
    disabledAt: disabled ? toTime(disabled.atMs) : null,
    disabledReason: disabled?.reason ?? null,
  };
}

function toWebhookWithKey(webhook: WebhookRecord, apiKey: string): WebhookWithKey {
  return { ...toRegistration(webhook), apiKey };
}

export function toWebhookDelivery(delivery: DeliveryRecord): WebhookDelivery {
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    webhookType: delivery.type,
    test: delivery.test,
    status: delivery.status,
    createdAt: toTime(delivery.createdAtMs),
    nextAttemptAt: delivery.nextAttemptAtMs === undefined ? null : toTime(delivery.nextAttemptAtMs),
    replayOf: delivery.replayOf ?? null,
    requestBody: delivery.body,
    attempts: delivery.attempts.map(toAttempt),
  };
}

/** What never changes. */
function toRegistration(webhook: WebhookRecord) {
  return {
    id: webhook.id,
    webhookUrl: webhook.url,
    webhookType: webhook.type,
    parentId: webhook.accountId,
    ...(webhook.productIds && { productIds: [...webhook.productIds] }),
    createdAt: toTime(webhook.createdAtMs),
  };
}

function toAttempt(attempt: AttemptRecord) {
  return {
    attemptedAt: toTime(attempt.attemptedAtMs),
    durationMs: attempt.durationMs,
    responseStatus: attempt.responseStatus ?? null,
    responseBody: attempt.responseBody ?? null,
    error: attempt.error ?? null,
  };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

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

interface Envelope {
  data?: object;
}

/** What a response may have much of, and a repetition reads again: it never changes. */
const readAgain = ["webhookUrl", "productIds", "requestBody"];

/** What is kept of a response for repetitions. */
export function keptResponse(response: Envelope): Envelope {
  if (isShort(JSON.stringify(response)) || response.data === undefined) return response;
  const data = Object.entries(response.data).filter(([name]) => !readAgain.includes(name));
  return { ...response, data: Object.fromEntries(data) };
}

/** The response of which this was kept. */
export async function repeatedResponse(
  webhookStore: Pick<WebhookStore, "find" | "findDelivery">,
  accountId: string,
  /** Of the path, if it has one. */
  webhookId: string | undefined,
  kept: string,
): Promise<string> {
  const response: Envelope = JSON.parse(kept);
  const { data } = response;
  const { id, apiKey, eventId, webhookUrl, requestBody }: Readonly<Record<string, unknown>> = { ...data };
  if (apiKey !== undefined && webhookUrl === undefined) {
    const webhook = await webhookStore.find({ accountId, webhookId: String(id) });
    if (webhook === undefined) throw deleted("webhook");
    return JSON.stringify({ ...response, data: { ...toRegistration(webhook), ...data } });
  }
  if (eventId !== undefined && requestBody === undefined) {
    const delivery = await webhookStore.findDelivery({ accountId, webhookId: webhookId ?? "" }, String(id));
    if (delivery === undefined) throw deleted("delivery");
    return JSON.stringify({ ...response, data: { ...data, requestBody: delivery.body } });
  }
  return kept;
}

function deleted(what: string): ApiError {
  return new ApiError(
    "idempotency_mismatch",
    `Idempotency-Key: the ${what} of the first request with this key was deleted since. Use a new key.`,
  );
}
