import { randomUUID } from "node:crypto";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type {
  AttemptRecord,
  DeliveryQueue,
  DeliveryTask,
  DisabledReason,
  TaskResult,
  WaitingWebhook,
} from "@product-search/core/ports/webhooks.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";
import type * as Sqlite from "../database/sqlite.ts";
import { isStoreError } from "../database/transact.ts";
import { createPurge } from "./purge-deliveries.ts";
import {
  openSigningKeys,
  prepareInternalFailure,
  type SigningKeys,
  type TakenElsewhere,
  type TaskRow,
  toTask,
  withinRoom,
} from "./rows.ts";

/** How many deliveries of a disabled webhook are marked as failed in one batch. */
const voidBatchSize = 200;

/** Skips from webhook to webhook in the index of waiting deliveries, however many deliveries each has. */
const waitingSql = `
  with recursive waiting(webhook) as (
    select min(webhook_row_id) from deliveries where status = 'pending' and worker is null
    union all
    select (select min(webhook_row_id) from deliveries
            where status = 'pending' and worker is null and webhook_row_id > waiting.webhook)
    from waiting where waiting.webhook is not null)
  select w.row_id as key, w.account_id as accountId, w.failing_since is not null as failing
  from waiting join webhooks w on w.row_id = waiting.webhook
  where w.deleted_at is null and (w.void_through > 0 or exists (
    select 1 from deliveries
    where webhook_row_id = w.row_id and status = 'pending' and worker is null and due_at <= ?))
  order by w.row_id`;

const dueSql = `
  select d.row_id as key, d.attempts, d.failures, d.kind, e.id as eventId, e.body, e.traceparent, w.url
  from deliveries d join webhooks w on w.row_id = d.webhook_row_id join webhook_events e on e.row_id = d.event_row_id
  where d.webhook_row_id = ? and d.status = 'pending' and d.worker is null and d.due_at <= ?
    and w.deleted_at is null and d.row_id > w.void_through
  order by d.due_at limit ?`;

export interface DeliveryQueueSettings {
  /** Used only by this worker, so that its transactions do not mix with others. */
  connection: Sqlite.Database;
  /** On the same connection. */
  db: Kysely<Database>;
  clock: Clock;
  secretBox: SecretBox;
  /** A worker without a heartbeat during this many of another worker's is treated as dead. */
  maxMissedHeartbeats?: number;
}

const defaultMissedHeartbeats = 10;
/** How long a delivery waits whose result could not be recorded. */
const unrecordedPauseMs = 60_000;

interface Settlement {
  result: TaskResult;
  worker: string;
  failingSinceMs: number;
}

export function createSqliteDeliveryQueue(settings: DeliveryQueueSettings): DeliveryQueue {
  const { connection, db, clock, maxMissedHeartbeats = defaultMissedHeartbeats } = settings;
  const registry = createWorkerRegistry(connection, maxMissedHeartbeats);
  const leases = createTaskLeases(settings);
  const settleOne = createResultRecorder(connection, clock);
  const settleUnsent = prepareInternalFailure(connection, clock);
  /** A result that cannot be recorded must not block the others. */
  const recordResult = createTolerantBatch(
    connection,
    ({ result, worker, failingSinceMs }: Settlement) => settleOne(result, worker, failingSinceMs),
    ({ result: { task }, worker }, error) => {
      const reason = error instanceof Error ? error.message : String(error);
      settleUnsent({
        key: task.key,
        worker,
        dueAt: clock.now() + unrecordedPauseMs,
        error: `What came of an attempt could not be recorded: ${reason}`,
      });
    },
  );

  const exchange = connection.transaction(
    (...[results, requested, failingSinceMs]: Parameters<DeliveryQueue["exchange"]>) => {
      const worker = registry.id();
      recordResult(results.map((result) => ({ result, worker, failingSinceMs })));
      if (!registry.isKnown()) return [];
      const shares = withinRoom(requested, requested.length === 0 ? [] : elsewhere.all(worker));
      return shares.flatMap(({ webhook, count }) => leases.take(webhook, count, worker));
    },
  );
  const elsewhere = connection.prepare<[string], TakenElsewhere>(
    `select d.webhook_row_id as webhook, w.account_id as accountId, count(*) as tasks
     from deliveries d join webhooks w on w.row_id = d.webhook_row_id
     where d.worker is not null and d.worker <> ? group by d.webhook_row_id`,
  );
  const limitDue = connection.prepare<[number, number]>(
    "update deliveries set due_at = ? where status = 'pending' and worker is null and due_at > ?",
  );

  return {
    waiting: async () => leases.waiting(),
    exchange: async (...input) => exchange.immediate(...input),
    heartbeat: async () => registry.heartbeat(),
    leave: async () => registry.leave(),
    limitDueTimes: async (latestMs) => {
      limitDue.run(latestMs, latestMs);
    },
    purge: createPurge(db, clock),
  };
}

interface WaitingRow {
  key: number;
  accountId: string;
  failing: number;
}

function createTaskLeases(settings: { connection: Sqlite.Database; clock: Clock; secretBox: SecretBox }) {
  const { connection, clock, secretBox } = settings;
  const waiting = connection.prepare<[number], WaitingRow>(waitingSql);
  const due = connection.prepare<[number, number, number], TaskRow>(dueSql);
  const take = connection.prepare<[string, number]>("update deliveries set worker = ? where row_id = ?");
  const voidDeliveries = prepareVoiding(connection);

  const signingKeysOf = prepareSigningKeys(connection, secretBox);

  return {
    waiting: (): WaitingWebhook[] =>
      waiting.all(clock.now()).map((row) => ({ ...row, failing: row.failing !== 0 })),

    take(webhook: WaitingWebhook, count: number, worker: string): DeliveryTask[] {
      const nowMs = clock.now();
      voidDeliveries(webhook.key);
      const rows = due.all(webhook.key, nowMs, count);
      if (rows.length === 0) return [];
      for (const row of rows) take.run(worker, row.key);
      const keys = signingKeysOf(webhook.key, nowMs);
      return rows.map((row) => toTask(row, webhook, keys));
    },
  };
}

function prepareSigningKeys(
  connection: Sqlite.Database,
  secretBox: SecretBox,
): (webhook: number, nowMs: number) => SigningKeys {
  const newest = connection.prepare<[number], { key: Uint8Array }>(
    "select key from webhooks where row_id = ?",
  );
  const former = connection.prepare<[number, number], { key: Uint8Array }>(
    "select key from webhook_former_keys where webhook_row_id = ? and until > ? order by row_id desc",
  );
  return (webhook, nowMs) => {
    const sealed = [...newest.all(webhook), ...former.all(webhook, nowMs)];
    return openSigningKeys(
      secretBox,
      sealed.map(({ key }) => key),
    );
  };
}

/** Voids the deliveries of a disabled webhook in batches, then clears the mark of its disabling. */
function prepareVoiding(connection: Sqlite.Database): (webhook: number) => void {
  const voidThrough = connection.prepare<[number], { rowId: number }>(
    "select void_through as rowId from webhooks where row_id = ? and void_through > 0",
  );
  const fail = connection.prepare<[number, number, number]>(
    `update deliveries set status = 'failed' where row_id in (
       select row_id from deliveries
       where webhook_row_id = ? and status = 'pending' and worker is null and row_id <= ? limit ?)`,
  );
  const taken = connection.prepare<[number, number]>(
    "select 1 from deliveries where worker is not null and webhook_row_id = ? and row_id <= ? limit 1",
  );
  const forget = connection.prepare<[number]>("update webhooks set void_through = 0 where row_id = ?");
  return (webhook) => {
    const last = voidThrough.get(webhook)?.rowId;
    if (last === undefined) return;
    const marked = fail.run(webhook, last, voidBatchSize).changes;
    if (marked < voidBatchSize && taken.get(webhook, last) === undefined) forget.run(webhook);
  };
}

type RecordResult = (result: TaskResult, worker: string, failingSinceMs: number) => void;

/** Records the result of a task, unless another worker has it now. */
function createResultRecorder(connection: Sqlite.Database, clock: Clock): RecordResult {
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

interface WorkerRegistry {
  id(): string;
  /** Whether the others still treat this worker as alive. */
  isKnown(): boolean;
  /** See the port. */
  heartbeat(): boolean;
  leave(): void;
}

interface Worker {
  id: string;
  beat: number;
}

/**
 * Detects dead workers. Every worker counts heartbeats; one whose count did not change during `maxMissedHeartbeats`
 * heartbeats of the watcher is dead. No clock is used, because clocks may jump, and after a pause of the whole
 * machine all count again.
 */
function createWorkerRegistry(connection: Sqlite.Database, maxMissedHeartbeats: number): WorkerRegistry {
  const known = connection.prepare<[string], Worker>("select id, beat from delivery_workers where id = ?");
  const all = connection.prepare<[], Worker>("select id, beat from delivery_workers");
  const add = connection.prepare<[string]>("insert into delivery_workers (id, beat) values (?, 0)");
  const countUp = connection.prepare<[string]>("update delivery_workers set beat = beat + 1 where id = ?");
  const unregister = connection.prepare<[string, number]>(
    "delete from delivery_workers where id = ? and beat = ?",
  );
  const free = connection.prepare<[string]>("update deliveries set worker = null where worker = ?");
  const seen = new Map<string, { beat: number; since: number }>();
  let id = randomUUID();
  let ownHeartbeats = 0;
  let isRegistered = false;

  /** The statement compares the heartbeat once more, so that a worker that has just sent one stays. */
  const removeExpired = ({ id: other, beat }: Worker) => {
    if (unregister.run(other, beat).changes > 0) free.run(other);
  };

  const beat = connection.transaction((): boolean => {
    const lives = countUp.run(id).changes > 0;
    if (!lives) {
      id = randomUUID();
      add.run(id);
    }
    ownHeartbeats += 1;
    const workers = all.all();
    for (const worker of workers) {
      const last = seen.get(worker.id);
      if (last?.beat !== worker.beat) seen.set(worker.id, { beat: worker.beat, since: ownHeartbeats });
      else if (worker.id !== id && ownHeartbeats - last.since >= maxMissedHeartbeats) removeExpired(worker);
    }
    for (const gone of seen.keys()) if (!workers.some((worker) => worker.id === gone)) seen.delete(gone);
    const hasExpired = isRegistered && !lives;
    isRegistered = true;
    return !hasExpired;
  });

  const leave = connection.transaction((): void => {
    const self = known.get(id);
    if (self !== undefined) removeExpired(self);
  });

  return {
    id: () => id,
    isKnown: () => known.get(id) !== undefined,
    heartbeat() {
      const workers = all.all();
      const isAlone = workers.length === 1 && workers[0]?.id === id;
      // Nobody counts the heartbeats. Another worker has its row before it counts the first one that is missed.
      return isAlone ? true : beat.immediate();
    },
    leave: () => leave.immediate(),
  };
}

/**
 * Does the work of all items inside a transaction. If one item fails, it is rolled back and passed to `onError`, and
 * the others are done. An error of the database itself is thrown. Fast without failures: only after a failure does
 * each item get its own savepoint.
 */
function createTolerantBatch<Item>(
  connection: Sqlite.Database,
  work: (item: Item) => void,
  onError: (item: Item, error: unknown) => void,
): (items: readonly Item[]) => void {
  const workAll = connection.transaction((items: readonly Item[]) => {
    for (const item of items) work(item);
  });
  const workOne = connection.transaction(work);
  return (items) => {
    try {
      workAll(items);
      return;
    } catch (error) {
      if (isStoreError(error)) throw error;
    }
    for (const item of items) {
      try {
        workOne(item);
      } catch (error) {
        if (isStoreError(error)) throw error;
        onError(item, error);
      }
    }
  };
}
