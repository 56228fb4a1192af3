import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeliveryTask, TaskResult } from "@product-search/core/ports/delivery-queue.ts";
import type { AttemptRecord, DisabledReason } from "@product-search/core/ports/webhook-store.ts";
import type Sqlite from "better-sqlite3";
import { prepareInternalFailure } from "./internal-failure.ts";

type RecordResult = (result: TaskResult, worker: string, failingSinceMs: number) => void;

/** Records the result of a task, unless another worker has it now. */
export function createResultRecorder(connection: Sqlite.Database, clock: Clock): RecordResult {
  const release = connection.prepare<[number, string]>(
    "update deliveries set worker = null where row_id = ? and worker = ?",
  );
  // A delivery that was voided meanwhile, by deletion or disabling, is not retried.
  const recordResult = connection.prepare<{
    key: number;
    worker: string;
    status: string;
    dueAt: number | null;
  }>(
    `update deliveries set worker = null, attempts = attempts + 1, due_at = coalesce(@dueAt, due_at),
       status = case when @status = 'pending' and row_id <= (
         select case when deleted_at is null then void_through else deliveries.row_id end
         from webhooks where row_id = deliveries.webhook_row_id) then 'failed' else @status end
     where row_id = @key and worker = @worker`,
  );
  const settleUnsent = prepareInternalFailure(connection, clock);
  const addAttempt = prepareAttempts(connection);
  const noteHealth = prepareHealth(connection, clock);

  return ({ task, attempt }, worker, failingSinceMs) => {
    if (attempt === undefined) {
      release.run(task.key, worker);
      return;
    }
    if (attempt.verdict === "unsent") {
      const error = attempt.error ?? "Nothing was sent.";
      if (settleUnsent({ key: task.key, worker, dueAt: attempt.atMs, error })) addAttempt(task, attempt);
      return;
    }
    const status = attempt.verdict === "retry" ? "pending" : attempt.verdict;
    const dueAt = attempt.verdict === "retry" ? attempt.atMs : null;
    if (recordResult.run({ key: task.key, worker, status, dueAt }).changes === 0) return;
    addAttempt(task, attempt);
    noteHealth({ task, attempt }, failingSinceMs);
  };
}

/** Every attempt is counted in one of the two numbers: their sum is the attempt's number. */
function prepareAttempts(
  connection: Sqlite.Database,
): (delivery: DeliveryTask, attempt: AttemptRecord) => void {
  const add = connection.prepare(
    `insert into delivery_attempts
       (delivery_row_id, number, attempted_at, duration_ms, response_status, response_body, error)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  return (
    { key, attempt, failures },
    { attemptedAtMs, durationMs, responseStatus = null, responseBody = null, error = null },
  ) => {
    add.run(key, attempt + failures, attemptedAtMs, durationMs, responseStatus, responseBody, error);
  };
}

/** Records since when a target has failed, and disables its webhook if that is too long. Failed tests do not count. */
function prepareHealth(
  connection: Sqlite.Database,
  clock: Clock,
): (result: Required<TaskResult>, failingSinceMs: number) => void {
  const healthy = connection.prepare<[number]>(
    "update webhooks set failing_since = null where row_id = ? and failing_since is not null",
  );
  const failing = connection.prepare<[number, number]>(
    "update webhooks set failing_since = ? where row_id = ? and failing_since is null",
  );
  const disable = connection.prepare<{
    key: number;
    reason: DisabledReason;
    atMs: number;
    failingSinceMs: number;
  }>(
    `update webhooks set
       disabled_at = coalesce(disabled_at, @atMs), disabled_reason = coalesce(disabled_reason, @reason),
       void_through = (select max(row_id) from deliveries)
     where row_id = @key and (@reason = 'gone' or (disabled_at is null and failing_since <= @failingSinceMs))`,
  );
  return ({ task, attempt }, failingSinceMs) => {
    const key = task.webhook.key;
    if (attempt.verdict === "succeeded") {
      healthy.run(key);
      return;
    }
    if (task.test) return;
    const reason = attempt.verdict === "failed" && attempt.gone === true ? "gone" : "failing";
    disable.run({ key, reason, atMs: clock.now(), failingSinceMs });
    failing.run(attempt.attemptedAtMs, key);
  };
}
