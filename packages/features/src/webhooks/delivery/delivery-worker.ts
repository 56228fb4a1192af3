import { setTimeout as delay } from "node:timers/promises";
import { pause } from "@product-search/core/mechanisms/abortable.ts";
import { createWakeup } from "@product-search/core/mechanisms/wakeup.ts";
import type {
  DeliveryQueue,
  DeliveryTask,
  TaskRequest,
  TaskResult,
  Verdict,
  WaitingWebhook,
} from "@product-search/core/ports/delivery-queue.ts";
import type { UntilChange } from "@product-search/core/ports/until-change.ts";
import type { AttemptRecord } from "@product-search/core/ports/webhook-store.ts";
import { type AttemptDeps, attemptDelivery } from "./attempt-delivery.ts";
import { createDeliveryMaintenance } from "./delivery-maintenance.ts";
import { createSlots, type SlotLimits } from "./slots.ts";

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
