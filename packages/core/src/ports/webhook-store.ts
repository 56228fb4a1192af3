import type { WebhookType } from "../domain/webhook-event.ts";

/** Why the webhook is disabled: the target responded with 410, or has failed for five days. */
export type DisabledReason = "gone" | "failing";

export interface WebhookRecord {
  id: string;
  accountId: string;
  url: string;
  type: WebhookType;
  /** Only these products are tracked; without it, all. */
  productIds?: readonly string[];
  createdAtMs: number;
  disabled?: { atMs: number; reason: DisabledReason };
}

export interface NewWebhook {
  accountId: string;
  url: string;
  type: WebhookType;
  productIds?: readonly string[];
  /** The signing key, `whsec_…`. It is encrypted before it is stored, and the store never returns it. */
  key: string;
}

export interface AttemptRecord {
  attemptedAtMs: number;
  durationMs: number;
  responseStatus?: number;
  /** The beginning of the response, without secrets. */
  responseBody?: string;
  error?: string;
}

export interface DeliveryRecord {
  id: string;
  eventId: string;
  type: WebhookType;
  test: boolean;
  status: "pending" | "succeeded" | "failed";
  createdAtMs: number;
  nextAttemptAtMs?: number;
  replayOf?: string;
  /** The body of every attempt, unchanged. */
  body: string;
  /** Oldest first. */
  attempts: AttemptRecord[];
}

/** A webhook in the scope of its account: one of another account does not exist. */
export interface WebhookReference {
  accountId: string;
  webhookId: string;
}

export interface KeyRotation {
  formerUntilMs: number;
  maxKeys: number;
  revokeFormer?: boolean;
}

/** `oldestUntilMs`: there are already `maxKeys`, and the oldest expires then. Undefined for an absent webhook. */
export type RotationOutcome = { rotated: WebhookRecord } | { oldestUntilMs: number } | undefined;

export interface DeliveryPage {
  deliveries: DeliveryRecord[];
  /** Pass it as `before` for the next page; absent on the last. */
  next?: number;
}

/** Webhooks and their deliveries. For an absent webhook, methods return undefined or false. */
export interface WebhookStore {
  /** Undefined if the account already has `limit` webhooks. */
  create(webhook: NewWebhook, limit: number): Promise<WebhookRecord | undefined>;
  find(webhook: WebhookReference): Promise<WebhookRecord | undefined>;
  /** Newest first; of all accounts if none is given. */
  list(accountId?: string): Promise<WebhookRecord[]>;
  /** Deletes the webhook; nothing more is sent. */
  remove(webhook: WebhookReference): Promise<boolean>;
  /**
   * Signs with the key from now on. The previous key also signs until `formerUntilMs`, and earlier ones until their
   * own times. With `revokeFormer` they stop at once. Changes nothing if more than `maxKeys` would be valid.
   */
  replaceKey(webhook: WebhookReference, key: string, rotation: KeyRotation): Promise<RotationOutcome>;
  enable(webhook: WebhookReference): Promise<WebhookRecord | undefined>;

  /** Newest first; undefined for an absent webhook. */
  listDeliveries(
    webhook: WebhookReference,
    page: { limit: number; before?: number },
  ): Promise<DeliveryPage | undefined>;
  findDelivery(webhook: WebhookReference, deliveryId: string): Promise<DeliveryRecord | undefined>;
  /** Queues a new event only for this webhook, even if it is disabled. */
  queueTest(webhook: WebhookReference, body: string): Promise<DeliveryRecord | undefined>;
  /** Queues the same event once more, even if the webhook is disabled. */
  queueReplay(webhook: WebhookReference, deliveryId: string): Promise<DeliveryRecord | undefined>;
  /**
   * The number of deliveries that wait for an attempt, over all accounts, without those of deleted or disabled
   * webhooks.
   */
  countPending(): Promise<number>;
}
