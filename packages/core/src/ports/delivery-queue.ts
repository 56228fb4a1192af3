import type { AttemptRecord } from "./webhook-store.ts";

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
