import type { ProductInput } from "../domain/product.ts";
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

interface DeliveryPage {
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

/** A webhook with deliveries that are due. `key` identifies it inside the queue and has no other meaning. */
export interface WaitingWebhook {
  key: number;
  accountId: string;
  /** Its last attempt failed. */
  failing: boolean;
}

/** How many tasks of a webhook a worker can take. */
export interface TaskRequest {
  webhook: WaitingWebhook;
  count: number;
  /**
   * How many more attempts may be in progress for the webhook, and for all webhooks of its account, not counting this
   * worker's. The attempts of other workers are subtracted.
   */
  room: { webhook: number; account: number };
}

/** One attempt to make, with all its data. */
export interface DeliveryTask {
  key: number;
  webhook: WaitingWebhook;
  url: string;
  eventId: string;
  /** Signed and sent without changes. */
  body: string;
  /** Names the span in which the event was made, if that was traced. */
  traceparent?: string;
  /** The signing keys, newest first; empty if `fault` is set. */
  signingKeys: string[];
  /** Why no attempt can be made: a signing key cannot be read. */
  fault?: string;
  test: boolean;
  /** Starts with 1. Attempts that sent nothing are not counted. */
  attempt: number;
  /** The number of attempts that sent nothing. */
  failures: number;
}

export type Verdict =
  | { verdict: "succeeded" }
  | { verdict: "retry"; atMs: number }
  | { verdict: "failed"; gone?: boolean }
  /**
   * Nothing was sent, because of an error in this service. After `maxFailures` of these it is a dead letter, and
   * again after as many more.
   */
  | { verdict: "unsent"; atMs: number };

/** The result of a task: an attempt with its verdict, or nothing if the task was returned without an attempt. */
export type TaskResult = { task: DeliveryTask; attempt?: AttemptRecord & Verdict };

/**
 * The pending deliveries, shared by any number of workers on one database. A task belongs to the worker that leased
 * it, until its result is recorded or the worker misses its heartbeats. Heartbeats are counted, not timed, because
 * clocks may jump.
 */
export interface DeliveryQueue {
  /** The webhooks with a delivery that is due and not leased. */
  waiting(): Promise<WaitingWebhook[]>;
  /**
   * Records results and leases tasks, as many as wanted and possible, in one transaction. A webhook whose failures
   * started at `failingSinceMs` or earlier is disabled by its next failure.
   */
  exchange(
    results: readonly TaskResult[],
    requested: readonly TaskRequest[],
    failingSinceMs: number,
  ): Promise<DeliveryTask[]>;
  /**
   * Sends a heartbeat, and frees the tasks of workers that missed theirs. False if other workers have declared this
   * one dead: its tasks may belong to others, so it must drop them. Call it between exchanges, never during one: tasks that
   * this worker does not know of are freed.
   */
  heartbeat(): Promise<boolean>;
  /** Returns all tasks and removes the worker. */
  leave(): Promise<void>;
  /** Moves attempts planned after `latestMs` to that time: the clock was ahead when they were planned. */
  limitDueTimes(latestMs: number): Promise<void>;
  /** Purges a batch of rows that are older than `beforeMs` or belong to deleted webhooks; false if nothing is left. */
  purge(beforeMs: number): Promise<boolean>;
}

/** After this many failures caused by this service, not by the other side, an item is removed from its queue. */
export const maxFailures = 5;

/** The queues whose items can become dead letters. */
export const deadLetterQueues = ["deliveries", "imports", "pictures", "products"] as const;
export type DeadLetterQueue = (typeof deadLetterQueues)[number];

/** An item that could not be processed, kept for an operator to inspect and retry. */
export interface DeadLetter {
  id: string;
  queue: DeadLetterQueue;
  /**
   * The identifier of the item in its queue. `deliveries`: of the delivery. `imports`: of the product that could not be
   * applied. `images`: the image's URL. `products`: of the stored product that cannot be read.
   */
  item: string;
  /** Why the last attempt failed. */
  error: string;
  failures: number;
  createdAtMs: number;
}

interface DeadLetterPage {
  letters: DeadLetter[];
  /** Pass it as `before` for the next page; absent on the last. */
  next?: number;
}

/**
 * `retried`: the item is back in its queue. `absent`: there is no such dead letter. `obsolete`: the item no longer
 * exists, and the dead letter is removed. `disabled`: its webhook is disabled, or was a moment ago; the dead letter
 * stays.
 */
export type RetryOutcome = "retried" | "absent" | "obsolete" | "disabled";

/** Items that failed: after `maxFailures` failures, or after one if a retry cannot help. */
export interface DeadLetters {
  /** Newest first. */
  list(page: { limit: number; before?: number }): Promise<DeadLetterPage>;
  /** The product of a dead letter in the queue `imports`. A retry applies it. */
  inputOf(id: string): Promise<ProductInput | undefined>;
  /** Puts an item of another queue back, with all its attempts, and removes the dead letter, in one transaction. */
  retry(id: string): Promise<RetryOutcome>;
  /** The number of dead letters by queue. */
  count(): Promise<Readonly<Record<DeadLetterQueue, number>>>;
}
