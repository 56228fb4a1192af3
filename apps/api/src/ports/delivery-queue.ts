import type { AttemptRecord } from "./webhook-store.ts";

/** A webhook that something can be done for. `key` tells webhooks apart and means nothing outside the queue. */
export interface WaitingWebhook {
  key: number;
  accountId: string;
  /** Its last attempt failed. */
  failing: boolean;
}

/** How many tasks of a webhook a worker wants. */
export interface WantedTasks {
  webhook: WaitingWebhook;
  count: number;
  /**
   * How many more may be under way for the webhook, and for all webhooks of its account, by what this worker itself
   * attempts. What the other workers attempt is subtracted.
   */
  room: { webhook: number; account: number };
}

/** One attempt to make: everything that it needs. */
export interface DeliveryTask {
  key: number;
  webhook: WaitingWebhook;
  url: string;
  eventId: string;
  /** To be signed and sent as it is. */
  body: string;
  /** The signing secrets, the newest first; none when `fault` is given. */
  signingKeys: string[];
  /** Why no attempt can be made: a signing key cannot be read. */
  fault?: string;
  test: boolean;
  /** 1 for the first; those that sent nothing are not counted. */
  attempt: number;
  /** How many attempts sent nothing. */
  failures: number;
}

export type Verdict =
  | { verdict: "succeeded" }
  | { verdict: "retry"; atMs: number }
  | { verdict: "failed"; gone?: boolean }
  /** Nothing was sent, and the target is not to blame. After `mostFailures` of these it is a dead letter, and again after as many more. */
  | { verdict: "unsent"; atMs: number };

/** What came of a task: an attempt with its verdict, or nothing when it was given back unattempted. */
export type TaskResult = { task: DeliveryTask; attempt?: AttemptRecord & Verdict };

/**
 * The pending deliveries, shared by any number of workers on one store. A task that was taken belongs to its
 * worker alone until it is settled, or until that worker falls silent. Whether a worker is silent is judged by
 * counting, not by clocks: those may jump.
 */
export interface DeliveryQueue {
  /** The webhooks with a delivery that is due and that nobody attempts. */
  waiting(): Promise<WaitingWebhook[]>;
  /**
   * Settles results and takes tasks, as many as are wanted and as there is room for, in one transaction. A webhook
   * whose failures go back to `failingSinceMs` or longer is disabled with its next failure.
   */
  exchange(
    results: readonly TaskResult[],
    wanted: readonly WantedTasks[],
    failingSinceMs: number,
  ): Promise<DeliveryTask[]>;
  /**
   * Tells the others that this worker lives, and frees what silent ones had taken. False when the others had
   * given this one up: its tasks may be someone else's, so they must be dropped.
   */
  heartbeat(): Promise<boolean>;
  /** Gives everything back and goes. */
  leave(): Promise<void>;
  /** Brings attempts that are planned later than `latestMs` forward to it: the clock was ahead when they were planned. */
  limitDueTimes(latestMs: number): Promise<void>;
  /** Removes a bounded bit of what is older than `beforeMs` or belongs to deleted webhooks; false when nothing is left. */
  purge(beforeMs: number): Promise<boolean>;
}
