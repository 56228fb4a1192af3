import { randomUUID } from "node:crypto";
import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  type AttemptRecord,
  type DeliveryQueue,
  type DeliveryTask,
  maxFailures,
  type TaskResult,
  type Verdict,
  type WaitingWebhook,
} from "@product-search/core/ports/webhooks.ts";
import type { MemoryDatabase, MemoryDelivery, MemoryWebhook } from "../database/memory/memory.ts";
import { type TakenElsewhere, withinRoom } from "./rows.ts";

/** How long a delivery waits whose result could not be recorded. */
const unrecordedPauseMs = 60_000;

const unreadableKey =
  "Nothing was sent: the signing key of this webhook cannot be read. Rotate the key, or ask the operator.";

export interface MemoryDeliveryQueueSettings {
  database: MemoryDatabase;
  clock: Clock;
  /** A worker without a heartbeat during this many of another worker's is treated as dead. */
  maxMissedHeartbeats?: number;
}

const defaultMissedHeartbeats = 10;

export function createMemoryDeliveryQueue(settings: MemoryDeliveryQueueSettings): DeliveryQueue {
  const { database, clock, maxMissedHeartbeats = defaultMissedHeartbeats } = settings;
  const worker = createMemoryWorker(database, { maxMissedHeartbeats, newId: randomUUID });
  const leases = createMemoryLeases(database, clock);
  const record = createMemoryRecorder(database, clock);
  const purge = createMemoryPurge(database, clock);
  const { deliveries } = database.tables;

  return {
    waiting: async () => leases.waiting(),
    exchange: (results, requested, failingSinceMs) =>
      database.transact(() => {
        for (const result of results) record(result, worker.id(), failingSinceMs);
        if (!worker.isKnown()) return [];
        const shares = withinRoom(requested, leases.takenElsewhere(worker.id()));
        return shares.flatMap(({ webhook, count }) => leases.take(webhook, count, worker.id()));
      }),
    heartbeat: () => database.transact(worker.heartbeat),
    leave: () => database.transact(worker.leave),
    limitDueTimes: (latestMs) =>
      database.transact(() => {
        for (const [row, delivery] of deliveries.entries()) {
          const { status, worker: taken, dueAtMs } = delivery;
          if (status === "pending" && taken === undefined && dueAtMs > latestMs)
            deliveries.set(row, { ...delivery, dueAtMs: latestMs });
        }
      }),
    purge: (beforeMs) => database.transact(() => purge(beforeMs)),
  };
}

function createMemoryLeases({ tables }: MemoryDatabase, clock: Clock) {
  const { deliveries, webhooks, events } = tables;
  const freeOf = (webhook: number) =>
    deliveries
      .entries()
      .filter(([, one]) => one.webhook === webhook && one.status === "pending" && one.worker === undefined);

  /** Voids the deliveries of a disabled webhook, then clears the mark of its disabling. */
  function voidDeliveries(key: number, webhook: MemoryWebhook): MemoryWebhook {
    if (webhook.voidThrough === 0) return webhook;
    const isVoid = (row: number) => row <= webhook.voidThrough;
    for (const [row, delivery] of freeOf(key))
      if (isVoid(row)) deliveries.set(row, { ...delivery, status: "failed" });
    if (deliveries.find((one, row) => one.webhook === key && one.worker !== undefined && isVoid(row)))
      return webhook;
    const forgotten = { ...webhook, voidThrough: 0 };
    webhooks.set(key, forgotten);
    return forgotten;
  }

  function toTask(row: number, delivery: MemoryDelivery, waiting: WaitingWebhook): DeliveryTask[] {
    const event = events.get(delivery.event);
    const webhook = webhooks.get(waiting.key);
    if (event === undefined || webhook === undefined) return [];
    const { attempts, failures } = delivery;
    return [
      {
        key: row,
        webhook: waiting,
        url: webhook.record.url,
        eventId: event.id,
        body: event.body,
        ...signingKeysOf(webhook, clock.now()),
        test: delivery.kind === "test",
        attempt: attempts.length - failures + 1,
        failures,
      },
    ];
  }

  return {
    waiting: (): WaitingWebhook[] =>
      webhooks.entries().flatMap(([key, { record, isDeleted, failingSinceMs, voidThrough }]) => {
        const free = isDeleted ? [] : freeOf(key);
        const isDue = free.some(([, { dueAtMs }]) => voidThrough > 0 || dueAtMs <= clock.now());
        return isDue ? [{ key, accountId: record.accountId, failing: failingSinceMs !== undefined }] : [];
      }),

    /** One row for each delivery in progress at another worker. */
    takenElsewhere: (self: string): TakenElsewhere[] =>
      deliveries.entries().flatMap(([, { webhook, worker }]) => {
        const accountId = webhooks.get(webhook)?.record.accountId;
        if (worker === undefined || worker === self || accountId === undefined) return [];
        return [{ webhook, accountId, tasks: 1 }];
      }),

    take(waiting: WaitingWebhook, count: number, worker: string): DeliveryTask[] {
      const webhook = webhooks.get(waiting.key);
      if (webhook === undefined || webhook.isDeleted) return [];
      const { voidThrough } = voidDeliveries(waiting.key, webhook);
      const due = freeOf(waiting.key)
        .filter(([row, { dueAtMs }]) => row > voidThrough && dueAtMs <= clock.now())
        .sort(([, one], [, other]) => one.dueAtMs - other.dueAtMs)
        .slice(0, count);
      for (const [row, delivery] of due) deliveries.set(row, { ...delivery, worker });
      return due.flatMap(([row, delivery]) => toTask(row, delivery, waiting));
    },
  };
}

/** The signing keys, newest first. A former one that cannot be read is left out: it was rotated because of that. */
function signingKeysOf(
  { key, formerKeys }: MemoryWebhook,
  nowMs: number,
): Pick<DeliveryTask, "signingKeys" | "fault"> {
  if (key === undefined) return { signingKeys: [], fault: unreadableKey };
  const valid = formerKeys.filter(({ untilMs }) => untilMs > nowMs);
  return { signingKeys: [key, ...valid.flatMap((former) => former.key ?? [])] };
}

/** Removes old rows and those of deleted webhooks, except deliveries in progress. */
function createMemoryPurge(database: MemoryDatabase, clock: Clock): (beforeMs: number) => boolean {
  const { deliveries, events, webhooks } = database.tables;

  function purgeDeliveries(beforeMs: number): number {
    const gone = deliveries
      .entries()
      .filter(([, one]) => one.createdAtMs < beforeMs || webhooks.get(one.webhook)?.isDeleted !== false)
      .filter(([, { worker }]) => worker === undefined);
    for (const [row] of gone) deliveries.delete(row);
    return gone.length;
  }

  function purgeEvents(beforeMs: number): number {
    const used = new Set(deliveries.values().map(({ event }) => event));
    const gone = events.entries().filter(([row, one]) => one.createdAtMs < beforeMs && !used.has(row));
    for (const [row] of gone) events.delete(row);
    return gone.length;
  }

  function purgeWebhooks(): number {
    const used = new Set(deliveries.values().map(({ webhook }) => webhook));
    const gone = webhooks.entries().filter(([row, { isDeleted }]) => isDeleted && !used.has(row));
    for (const [row] of gone) webhooks.delete(row);
    for (const [row, webhook] of webhooks.entries()) {
      const formerKeys = webhook.formerKeys.filter(({ untilMs }) => untilMs > clock.now());
      if (formerKeys.length < webhook.formerKeys.length) webhooks.set(row, { ...webhook, formerKeys });
    }
    return gone.length;
  }

  return (beforeMs) => purgeDeliveries(beforeMs) + purgeEvents(beforeMs) + purgeWebhooks() > 0;
}

interface WorkerSettings {
  maxMissedHeartbeats: number;
  newId(): string;
}

/** One of the workers on the database. A worker without heartbeats while the others have theirs is dead. */
function createMemoryWorker(
  { tables: { workers, deliveries } }: MemoryDatabase,
  { maxMissedHeartbeats, newId }: WorkerSettings,
) {
  const seen = new Map<string, { beat: number; since: number }>();
  let id = newId();
  let ownHeartbeats = 0;
  let isRegistered = false;

  function remove(gone: string): void {
    workers.delete(gone);
    for (const [row, { worker, ...delivery }] of deliveries.entries())
      if (worker === gone) deliveries.set(row, delivery);
  }

  function watch(other: string, beat: number): void {
    const last = seen.get(other);
    if (last?.beat !== beat) seen.set(other, { beat, since: ownHeartbeats });
    else if (other !== id && ownHeartbeats - last.since >= maxMissedHeartbeats) remove(other);
  }

  return {
    id: () => id,
    isKnown: () => workers.get(id) !== undefined,
    heartbeat(): boolean {
      const former = workers.get(id);
      if (former === undefined) id = newId();
      workers.set(id, (former ?? 0) + 1);
      ownHeartbeats += 1;
      for (const [other, beat] of workers.entries()) watch(other, beat);
      for (const gone of seen.keys()) if (workers.get(gone) === undefined) seen.delete(gone);
      const wasGivenUp = isRegistered && former === undefined;
      isRegistered = true;
      return !wasGivenUp;
    },
    leave: () => remove(id),
  };
}

type Attempt = AttemptRecord & Verdict;

type RecordResult = (result: TaskResult, worker: string, failingSinceMs: number) => void;

/**
 * Records the result of a task, unless another worker has it now. A result that cannot be recorded does not block
 * others.
 */
function createMemoryRecorder(database: MemoryDatabase, clock: Clock): RecordResult {
  const recordUnsent = createUnsentRecorder(database, clock);
  const noteHealth = createHealthRecorder(database, clock);
  const { deliveries, webhooks } = database.tables;

  function settle(result: TaskResult, delivery: MemoryDelivery, failingSinceMs: number): void {
    const { task, attempt } = result;
    const { worker: _, ...released } = delivery;
    if (attempt === undefined) {
      deliveries.set(task.key, released);
      return;
    }
    if (attempt.verdict === "unsent") {
      recordUnsent(task.key, released, attempt);
      return;
    }
    const isRetry = attempt.verdict === "retry";
    deliveries.set(task.key, {
      ...released,
      status: isRetry ? pendingUnlessVoid(webhooks.get(delivery.webhook), task.key) : attempt.verdict,
      dueAtMs: isRetry ? attempt.atMs : delivery.dueAtMs,
      attempts: [...delivery.attempts, toRecord(attempt)],
    });
    noteHealth({ task, attempt }, failingSinceMs);
  }

  return (result, worker, failingSinceMs) => {
    const delivery = deliveries.get(result.task.key);
    if (delivery === undefined || delivery.worker !== worker) return;
    try {
      database.savepoint(() => settle(result, delivery, failingSinceMs));
    } catch (error) {
      const { worker: _, ...released } = delivery;
      const reason = `What came of an attempt could not be recorded: ${error instanceof Error ? error.message : error}`;
      recordUnsent(result.task.key, released, { atMs: clock.now() + unrecordedPauseMs, error: reason });
    }
  };
}

/** A delivery that was voided meanwhile, by deletion or disabling, is not retried. */
function pendingUnlessVoid(webhook: MemoryWebhook | undefined, row: number): "pending" | "failed" {
  return webhook === undefined || webhook.isDeleted || row <= webhook.voidThrough ? "failed" : "pending";
}

/** Plans the next attempt after an internal error. After `maxFailures` of these, the delivery has failed. */
function createUnsentRecorder(database: MemoryDatabase, clock: Clock) {
  const { deliveries, webhooks } = database.tables;
  return (
    row: number,
    delivery: MemoryDelivery,
    unsent: { atMs: number; error?: string } | Attempt,
  ): void => {
    const failures = delivery.failures + 1;
    const isDead = failures % maxFailures === 0;
    const goesOn = pendingUnlessVoid(webhooks.get(delivery.webhook), row) === "pending";
    const error = unsent.error ?? "Nothing was sent.";
    deliveries.set(row, {
      ...delivery,
      failures,
      dueAtMs: "atMs" in unsent ? unsent.atMs : delivery.dueAtMs,
      status: isDead || !goesOn ? "failed" : "pending",
      // An attempt of which only the failure is known is listed too; otherwise its number would be missing.
      attempts: [...delivery.attempts, toUnsentRecord(unsent, error, clock.now())],
    });
  };
}

/** Records since when a target has failed, and disables its webhook if that is too long. Failed tests do not count. */
function createHealthRecorder({ tables }: MemoryDatabase, clock: Clock) {
  const { webhooks, deliveries } = tables;
  return ({ task, attempt }: Required<TaskResult>, failingSinceMs: number): void => {
    const webhook = webhooks.get(task.webhook.key);
    if (webhook === undefined) return;
    const { failingSinceMs: since, ...rest } = webhook;
    if (attempt.verdict === "succeeded") webhooks.set(task.webhook.key, rest);
    if (attempt.verdict === "succeeded" || task.test) return;
    const isGone = attempt.verdict === "failed" && attempt.gone === true;
    const isDisabled = webhook.record.disabled !== undefined;
    const isTooLong = !isDisabled && since !== undefined && since <= failingSinceMs;
    const disabled = { atMs: clock.now(), reason: isGone ? "gone" : "failing" } as const;
    webhooks.set(task.webhook.key, {
      ...webhook,
      failingSinceMs: since ?? attempt.attemptedAtMs,
      ...((isGone || isTooLong) && {
        record: isDisabled ? webhook.record : { ...webhook.record, disabled },
        voidThrough: Math.max(...deliveries.entries().map(([row]) => row)),
      }),
    });
  };
}

function toRecord({
  attemptedAtMs,
  durationMs,
  responseStatus,
  responseBody,
  error,
}: Attempt): AttemptRecord {
  return {
    attemptedAtMs,
    durationMs,
    ...(responseStatus !== undefined && { responseStatus }),
    ...(responseBody !== undefined && { responseBody }),
    ...(error !== undefined && { error }),
  };
}

function toUnsentRecord(unsent: { error?: string } | Attempt, error: string, nowMs: number): AttemptRecord {
  return "attemptedAtMs" in unsent ? toRecord(unsent) : { attemptedAtMs: nowMs, durationMs: 0, error };
}
