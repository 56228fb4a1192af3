import type { Clock } from "@product-search/core/ports/clock.ts";
import { maxFailures } from "@product-search/core/ports/dead-letters.ts";
import type { TaskResult, Verdict } from "@product-search/core/ports/delivery-queue.ts";
import type { AttemptRecord } from "@product-search/core/ports/webhook-store.ts";
import type { MemoryDatabase, MemoryDelivery, MemoryWebhook } from "../database/memory/memory.ts";
import { addLetter } from "../database/memory/memory-letters.ts";

/** How long a delivery waits whose result could not be recorded. */
const unrecordedPauseMs = 60_000;

type Attempt = AttemptRecord & Verdict;
type RecordResult = (result: TaskResult, worker: string, failingSinceMs: number) => void;

/**
 * Records the result of a task, unless another worker has it now. A result that cannot be recorded does not block
 * others.
 */
export function createMemoryRecorder(database: MemoryDatabase, clock: Clock): RecordResult {
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

/** Plans the next attempt after an internal error. After `maxFailures` of these, the delivery becomes a dead letter. */
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
    if (isDead && goesOn)
      addLetter(database, { queue: "deliveries", item: delivery.id, error, failures, nowMs: clock.now() });
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
