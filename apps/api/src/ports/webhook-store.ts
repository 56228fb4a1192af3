import type { WebhookType } from "../domain/webhook-event.ts";

/** Why deliveries were stopped: the target responded with 410, or has failed for five days. */
export type DisabledReason = "gone" | "failing";

export interface WebhookRecord {
  id: string;
  accountId: string;
  url: string;
  type: WebhookType;
  /** Only these products are tracked; all when left out. */
  productIds?: readonly string[];
  createdAtMs: number;
  disabled?: { atMs: number; reason: DisabledReason };
}

export interface NewWebhook {
  accountId: string;
  url: string;
  type: WebhookType;
  productIds?: readonly string[];
  /** The signing secret, `whsec_…`; sealed before it is stored, and never given out by the store. */
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
  /** What every attempt sends, as it is. */
  body: string;
  /** Oldest first. */
  attempts: AttemptRecord[];
}

/** A webhook as its owner names it: another account's does not exist. */
export interface WebhookReference {
  accountId: string;
  webhookId: string;
}

export interface KeyRotation {
  formerUntilMs: number;
  maxKeys: number;
  revokeFormer?: boolean;
}

/** `oldestUntilMs`: there are `maxKeys` already, and the oldest ends then. Undefined for an absent webhook. */
export type RotationOutcome = { rotated: WebhookRecord } | { oldestUntilMs: number } | undefined;

export interface DeliveryPage {
  deliveries: DeliveryRecord[];
  /** Pass it as `before` for the next page; left out on the last. */
  next?: number;
}

/** Registrations and what was sent to them. Methods that name an absent webhook give undefined or false. */
export interface WebhookStore {
  /** Undefined when the account has `limit` webhooks already. */
  create(webhook: NewWebhook, limit: number): Promise<WebhookRecord | undefined>;
  find(webhook: WebhookReference): Promise<WebhookRecord | undefined>;
  /** Newest first; of all accounts when none is named. */
  list(accountId?: string): Promise<WebhookRecord[]>;
  /** Nothing is sent any more from now on. */
  remove(webhook: WebhookReference): Promise<boolean>;
  /**
   * Signs with the key from now on. The one before goes on signing until `formerUntilMs`, earlier ones until their own
   * times; none of them does with `revokeFormer`. Changes nothing when more than `maxKeys` would be valid.
   */
  replaceKey(webhook: WebhookReference, key: string, rotation: KeyRotation): Promise<RotationOutcome>;
  enable(webhook: WebhookReference): Promise<WebhookRecord | undefined>;

  /** Newest first; undefined for an absent webhook. */
  listDeliveries(
    webhook: WebhookReference,
    page: { limit: number; before?: number },
  ): Promise<DeliveryPage | undefined>;
  findDelivery(webhook: WebhookReference, deliveryId: string): Promise<DeliveryRecord | undefined>;
  /** Queues an event of its own for this webhook alone, also when that is disabled. */
  queueTest(webhook: WebhookReference, body: string): Promise<DeliveryRecord | undefined>;
  /** Queues the same event once more, also when the webhook is disabled. */
  queueReplay(webhook: WebhookReference, deliveryId: string): Promise<DeliveryRecord | undefined>;
  /** How many deliveries wait for an attempt, over all accounts; none of what deleted or disabled webhooks left behind. */
  countPending(): Promise<number>;
}
