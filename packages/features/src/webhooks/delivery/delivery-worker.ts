import { setTimeout as delay } from "node:timers/promises";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import { createWakeup, type UntilChange } from "@product-search/core/mechanisms/versions.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  AttemptRecord,
  DeliveryQueue,
  DeliveryTask,
  TaskRequest,
  TaskResult,
  Verdict,
  WaitingWebhook,
} from "@product-search/core/ports/webhooks.ts";
import { type AttemptDeps, attemptDelivery, maxDelayMs } from "./attempt-delivery.ts";

export interface DeliveryWorkerDeps extends AttemptDeps {
  deliveryQueue: DeliveryQueue;
  untilChange?: UntilChange;
  /** Called with errors of the database. The work continues, and no delivery is lost. */
  onError(error: unknown): void;
  /** Called with every attempt. */
  onAttempt?(task: DeliveryTask, attempt: AttemptRecord & Verdict): void;
}

export interface DeliveryWorkerSettings extends SlotLimits {
  /** The database is asked for due deliveries at most this often. */
  pollMs: number;
  /** Interval of this worker's heartbeats. After ten missed ones, other workers take over its deliveries. */
  heartbeatMs: number;
  /** How long attempts in progress may take to end when the worker is stopped. */
  graceMs: number;
}

/**
 * With 32 places a single target takes what 500 events a second bring, since results are collected for 5 ms. A target
 * that hangs holds one place instead of all.
 */
export const defaultDeliveryWorkerSettings: DeliveryWorkerSettings = {
  total: 512,
  perAccount: 128,
  perWebhook: 32,
  firstPerWebhook: 4,
  pollMs: 100,
  heartbeatMs: 2000,
  graceMs: 3000,
};

export interface DeliveryWorker {
  inFlight(): number;
  /** Takes no more deliveries, waits a moment for attempts to end, and releases the rest. */
  stop(): Promise<void>;
}

const disabledAfterMs = 5 * 24 * 3600 * 1000;
/** Maximum number of results recorded and deliveries leased in one transaction, so that it takes only a few milliseconds. */
const batchSize = 64;
/** Attempts that end within this time are recorded together, with one flush to disk. */
const gatheringMs = 5;
const pauseAfterErrorMs = 1000;
/** How late the retries of this worker may be, and those that it finds when it starts. */
const maxRetryDelayMs = 1000;
const maxRestMs = 5000;

/** Sends due deliveries until it is stopped. Any number of workers may use one database. */
export function startDeliveryWorker(
  deps: DeliveryWorkerDeps,
  settings: DeliveryWorkerSettings = defaultDeliveryWorkerSettings,
): DeliveryWorker {
  const { deliveryQueue, untilChange = pause, clock } = deps;
  const slots = createSlots(settings);
  const maintenance = createDeliveryMaintenance(deps, settings.heartbeatMs);
  const finished: TaskResult[] = [];
  const wakeup = createWakeup(untilChange);
  let attempts = new AbortController();
  let waiting: WaitingWebhook[] = [];
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const stopping = new AbortController();
  let lastRetryAtMs = Number.NEGATIVE_INFINITY;

  const untilNews = () => {
    const { signal } = stopping;
    // Attempts in progress may still end.
    if (signal.aborted) return delay(gatheringMs);
    return wakeup.wait(settings.pollMs, signal, clock.now() < lastRetryAtMs ? maxRetryDelayMs : maxRestMs);
  };

  const attempt = async (task: DeliveryTask) => {
    slots.occupy(task.webhook);
    const result = await attemptDelivery(deps, task, attempts.signal);
    slots.free(task.webhook, result.attempt?.verdict === "succeeded");
    if (result.attempt !== undefined) deps.onAttempt?.(task, result.attempt);
    if (result.attempt?.verdict === "retry") lastRetryAtMs = Math.max(lastRetryAtMs, result.attempt.atMs);
    finished.push(result);
    wakeup.signal();
  };

  const step = async () => {
    if (!(await maintenance.run())) {
      attempts.abort();
      attempts = new AbortController();
    }
    if (performance.now() - askedAtMs >= settings.pollMs) {
      askedAtMs = performance.now();
      waiting = await deliveryQueue.waiting();
    }
    const wanted = stopping.signal.aborted ? [] : slots.share(waiting, batchSize);
    const results = finished.slice(0, batchSize);
    if (results.length === 0 && wanted.length === 0) return;
    const tasks = await deliveryQueue.exchange(results, wanted, clock.now() - disabledAfterMs);
    finished.splice(0, results.length);
    waiting = stillWaiting(waiting, wanted, tasks);
    for (const task of tasks) void attempt(task);
  };

  const run = async () => {
    const { signal } = stopping;
    while (!signal.aborted || slots.occupied() > 0 || finished.length > 0) {
      try {
        await step();
        if (finished.length === 0) await untilNews();
      } catch (error) {
        deps.onError(error);
        if (signal.aborted && slots.occupied() === 0) return;
        // No attempt ends it: else each would be followed by another error and its line in the log.
        await (signal.aborted ? delay(pauseAfterErrorMs) : pause(pauseAfterErrorMs, signal));
        continue;
      }
      if (finished.length > 0 && finished.length < batchSize) await delay(gatheringMs);
    }
  };

  const running = run();
  return {
    inFlight: () => slots.occupied(),
    async stop() {
      stopping.abort();
      const grace = setTimeout(() => attempts.abort(), settings.graceMs);
      await running;
      clearTimeout(grace);
      await deliveryQueue.leave().catch(deps.onError);
    },
  };
}

/** If the queue returned fewer than requested, nothing more is due until the next poll. */
function stillWaiting(
  waiting: readonly WaitingWebhook[],
  requested: readonly TaskRequest[],
  tasks: readonly DeliveryTask[],
): WaitingWebhook[] {
  const taken = new Map<number, number>();
  for (const { webhook } of tasks) taken.set(webhook.key, (taken.get(webhook.key) ?? 0) + 1);
  const exhausted = new Set(
    requested
      .filter(({ webhook, count }) => (taken.get(webhook.key) ?? 0) < count)
      .map(({ webhook }) => webhook.key),
  );
  return waiting.filter(({ key }) => !exhausted.has(key));
}

interface SlotLimits {
  /** Maximum number of concurrent attempts of one worker. The other limits apply to all workers of a database together. */
  total: number;
  /** Maximum for one account, so that its hanging targets never block all others. */
  perAccount: number;
  /**
   * Maximum for one webhook. It starts with `firstPerWebhook`. Every success allows one more, and after a failure only one
   * is allowed until the next success.
   */
  perWebhook: number;
  firstPerWebhook: number;
}

export interface Slots {
  /** Distributes free slots equally, starting after the webhook that was served last. */
  share(waiting: readonly WaitingWebhook[], atMost: number): TaskRequest[];
  occupy(webhook: WaitingWebhook): void;
  free(webhook: WaitingWebhook, isSuccess: boolean): void;
  occupied(): number;
}

/** How many attempts each webhook may have in flight. Knows only this worker's; the queue subtracts those of the others. */
export function createSlots({ total, perAccount, perWebhook, firstPerWebhook }: SlotLimits): Slots {
  const ofAccount = new Map<string, number>();
  const ofWebhook = new Map<number, number>();
  const earned = new Map<number, number>();
  let occupied = 0;
  let lastServed = 0;

  return {
    share(waiting, atMost) {
      let free = Math.min(atMost, total - occupied);
      const each = Math.max(1, Math.floor(free / Math.max(1, waiting.length)));
      const promised = new Map<string, number>();
      const shares: TaskRequest[] = [];
      for (const webhook of startingAfter(lastServed, waiting)) {
        if (free === 0) break;
        const { accountId } = webhook;
        const limit = webhook.failing ? 1 : (earned.get(webhook.key) ?? firstPerWebhook);
        const room = {
          webhook: limit - (ofWebhook.get(webhook.key) ?? 0),
          account: perAccount - (ofAccount.get(accountId) ?? 0),
        };
        const count = Math.min(each, free, room.webhook, room.account - (promised.get(accountId) ?? 0));
        if (count <= 0) continue;
        shares.push({ webhook, count, room });
        promised.set(accountId, (promised.get(accountId) ?? 0) + count);
        free -= count;
        lastServed = webhook.key;
      }
      return shares;
    },
    occupy({ key, accountId }) {
      occupied += 1;
      add(ofAccount, accountId, 1);
      add(ofWebhook, key, 1);
    },
    free({ key, accountId }, isSuccess) {
      if (isSuccess) earned.set(key, Math.min(perWebhook, (earned.get(key) ?? firstPerWebhook) + 1));
      else earned.delete(key);
      occupied -= 1;
      add(ofAccount, accountId, -1);
      add(ofWebhook, key, -1);
    },
    occupied: () => occupied,
  };
}

function startingAfter(key: number, waiting: readonly WaitingWebhook[]): readonly WaitingWebhook[] {
  const start = waiting.findIndex((webhook) => webhook.key > key);
  return start <= 0 ? waiting : [...waiting.slice(start), ...waiting.slice(0, start)];
}

function add<Key>(counts: Map<Key, number>, key: Key, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** Deliveries and their events can be listed and replayed for 30 days. */
export const deliveriesKeptForMs = 30 * 24 * 3600 * 1000;
const purgeEveryMs = 60_000;
/** A larger difference between the wall clock and the monotonic clock means that the clock was set. */
const jumpMs = 5000;

export interface DeliveryMaintenance {
  /** Does the work that is due, for a few milliseconds. False if other workers have declared this one dead. */
  run(): Promise<boolean>;
}

export interface UpkeepDeps {
  deliveryQueue: DeliveryQueue;
  clock: Clock;
}

/** The work of a delivery worker besides deliveries: heartbeats, detecting clock changes, purging old data. */
function createDeliveryMaintenance(
  { deliveryQueue, clock }: UpkeepDeps,
  heartbeatMs: number,
): DeliveryMaintenance {
  let aliveAtMs = Number.NEGATIVE_INFINITY;
  let purgedAtMs = Number.NEGATIVE_INFINITY;
  let offsetMs = Number.POSITIVE_INFINITY;

  /** After the clock was set back, deliveries planned before would be late by that much. */
  const watchClock = async () => {
    const offset = clock.now() - performance.now();
    if (offset < offsetMs - jumpMs) await deliveryQueue.limitDueTimes(clock.now() + maxDelayMs);
    offsetMs = offset;
  };

  /** A failed purge is an error like any other, so that it is reported once; it is tried again a minute later. */
  const purge = async (nowMs: number) => {
    if (nowMs - purgedAtMs < purgeEveryMs) return;
    const purgedBeforeMs = purgedAtMs;
    purgedAtMs = nowMs;
    if (await deliveryQueue.purge(clock.now() - deliveriesKeptForMs)) purgedAtMs = purgedBeforeMs;
  };

  return {
    async run() {
      const nowMs = performance.now();
      await watchClock();
      await purge(nowMs);
      if (nowMs - aliveAtMs < heartbeatMs) return true;
      aliveAtMs = nowMs;
      return deliveryQueue.heartbeat();
    },
  };
}
