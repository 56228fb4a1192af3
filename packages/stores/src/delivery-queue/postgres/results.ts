import { maxFailures, type TaskResult } from "@product-search/core/ports/webhooks.ts";
import { type Kysely, sql } from "kysely";
import { addDeadLetter } from "../../database/new-dead-letter.ts";
import { isServerError } from "../../database/postgres/errors.ts";
import type { Database } from "../../database/schema.ts";
import type { InternalFailure } from "../rows.ts";

export interface RecordingSettings {
  worker: string;
  failingSinceMs: number;
  nowMs: number;
}

/** How long a delivery waits whose result could not be recorded. */
const unrecordedPauseMs = 60_000;

/**
 * Records the results of tasks, unless another worker has them now. A result that cannot be recorded does not block the
 * others: only after such a failure does each get its own savepoint.
 */
export async function recordResults(
  transaction: Kysely<Database>,
  results: readonly TaskResult[],
  settings: RecordingSettings,
): Promise<void> {
  if (results.length === 0) return;
  const failure = await attempt(transaction, () => recordAll(transaction, results, settings));
  if (failure === undefined) return;
  for (const result of results) {
    const refused = await attempt(transaction, () => recordAll(transaction, [result], settings));
    if (refused === undefined) continue;
    await recordUnsent(transaction, {
      key: result.task.key,
      worker: settings.worker,
      dueAt: settings.nowMs + unrecordedPauseMs,
      error: `What came of an attempt could not be recorded: ${refused.message}`,
      nowMs: settings.nowMs,
    });
  }
}

/** Rolls the work back if it fails because of the item, and returns the error. */
async function attempt(transaction: Kysely<Database>, work: () => Promise<void>): Promise<Error | undefined> {
  await sql`savepoint results`.execute(transaction);
  try {
    await work();
    await sql`release savepoint results`.execute(transaction);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || isServerError(error)) throw error;
    await sql`rollback to savepoint results`.execute(transaction);
    return error;
  }
}

async function recordAll(
  transaction: Kysely<Database>,
  results: readonly TaskResult[],
  settings: RecordingSettings,
): Promise<void> {
  await giveBack(
    transaction,
    results.flatMap(({ task, attempt }) => (attempt === undefined ? [task.key] : [])),
    settings.worker,
  );
  const ended: Required<TaskResult>[] = [];
  for (const { task, attempt } of results) {
    if (attempt?.verdict === "unsent") await recordUnsentAttempt(transaction, { task, attempt }, settings);
    else if (attempt !== undefined) ended.push({ task, attempt });
  }
  const recorded = await recordEnded(transaction, ended, settings.worker);
  await recordHealth(
    transaction,
    ended.filter(({ task }) => recorded.has(task.key)),
    settings,
  );
}

async function giveBack(transaction: Kysely<Database>, keys: number[], worker: string): Promise<void> {
  if (keys.length === 0) return;
  await transaction
    .updateTable("deliveries")
    .set({ worker: null })
    .where("row_id", "in", keys)
    .where("worker", "=", worker)
    .execute();
}

async function recordUnsentAttempt(
  transaction: Kysely<Database>,
  { task, attempt }: Required<TaskResult>,
  { worker, nowMs }: RecordingSettings,
): Promise<void> {
  if (attempt.verdict !== "unsent") return;
  const error = attempt.error ?? "Nothing was sent.";
  const unsent = { key: task.key, worker, dueAt: attempt.atMs, error, nowMs };
  if (!(await recordUnsent(transaction, unsent))) return;
  await sql`
    insert into delivery_attempts
      (delivery_row_id, number, attempted_at, duration_ms, response_status, response_body, error)
    select key, number, attempted_at, duration_ms, response_status, response_body, error
    from ${rowsOf([{ task, attempt }])}`.execute(transaction);
}

/** In one statement, however many. A delivery that was voided meanwhile, by deletion or disabling, is not retried. */
async function recordEnded(
  transaction: Kysely<Database>,
  ended: readonly Required<TaskResult>[],
  worker: string,
): Promise<Set<number>> {
  if (ended.length === 0) return new Set();
  const { rows } = await sql<{ key: number }>`
    with results as materialized (select * from ${rowsOf(ended)}),
    recorded as (
      update deliveries d set worker = null, attempts = d.attempts + 1, due_at = coalesce(r.due_at, d.due_at),
        status = case when r.status = 'pending' and (w.deleted_at is not null or d.row_id <= w.void_through)
          then 'failed' else r.status end
      from results r, webhooks w
      where d.row_id = r.key and d.worker = ${worker} and w.row_id = d.webhook_row_id
      returning d.row_id)
    insert into delivery_attempts
      (delivery_row_id, number, attempted_at, duration_ms, response_status, response_body, error)
    select r.key, r.number, r.attempted_at, r.duration_ms, r.response_status, r.response_body, r.error
    from results r join recorded on recorded.row_id = r.key
    returning delivery_row_id as key`.execute(transaction);
  return new Set(rows.map(({ key }) => key));
}

/** Every attempt is counted in one of the two numbers: their sum is the attempt's number. */
function rowsOf(results: readonly Required<TaskResult>[]) {
  const rows = results.map(({ task, attempt }) => ({
    key: task.key,
    number: task.attempt + task.failures,
    status: attempt.verdict === "retry" ? "pending" : attempt.verdict,
    due_at: attempt.verdict === "retry" ? attempt.atMs : null,
    attempted_at: attempt.attemptedAtMs,
    duration_ms: attempt.durationMs,
    response_status: attempt.responseStatus ?? null,
    response_body: storable(attempt.responseBody),
    error: storable(attempt.error),
  }));
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as r(
    key bigint, number integer, status text, due_at bigint, attempted_at bigint, duration_ms integer,
    response_status integer, response_body text, error text)`;
}

/** Responses of targets may contain anything; text in PostgreSQL cannot have NUL or half a surrogate pair. */
function storable(text: string | undefined): string | null {
  return text === undefined ? null : text.toWellFormed().replaceAll("\0", "\ufffd");
}

type Ended = Required<TaskResult>;

/**
 * Records since when targets have failed, and disables their webhooks if that is too long. Failed tests do not count.
 * The results of one webhook are recorded in their order.
 */
async function recordHealth(
  transaction: Kysely<Database>,
  ended: readonly Ended[],
  settings: { failingSinceMs: number; nowMs: number },
): Promise<void> {
  const byWebhook = [...Map.groupBy(ended, ({ task }) => task.webhook.key)];
  const isHealthy = ([, results]: [number, Ended[]]) =>
    results.every(({ attempt }) => attempt.verdict === "succeeded");
  await recordSuccess(
    transaction,
    byWebhook.filter(isHealthy).map(([webhook]) => webhook),
  );
  const others = byWebhook.filter((one) => !isHealthy(one)).toSorted(([left], [right]) => left - right);
  for (const [webhook, results] of others) {
    for (const result of results) {
      if (result.attempt.verdict === "succeeded") await recordSuccess(transaction, [webhook]);
      else if (!result.task.test) await recordFailure(transaction, webhook, result, settings);
    }
  }
}

async function recordSuccess(transaction: Kysely<Database>, webhooks: readonly number[]): Promise<void> {
  if (webhooks.length === 0) return;
  await transaction
    .updateTable("webhooks")
    .set({ failing_since: null })
    .where("row_id", "in", webhooks)
    .where("failing_since", "is not", null)
    .execute();
}

/** Voids every delivery that has a number by now, including those of uncommitted changes. */
async function recordFailure(
  transaction: Kysely<Database>,
  webhook: number,
  { attempt }: Ended,
  { failingSinceMs, nowMs }: { failingSinceMs: number; nowMs: number },
): Promise<void> {
  const reason = attempt.verdict === "failed" && attempt.gone === true ? "gone" : "failing";
  await sql`
    update webhooks set
      disabled_at = coalesce(disabled_at, ${nowMs}), disabled_reason = coalesce(disabled_reason, ${reason}),
      void_through = greatest(pg_sequence_last_value(pg_get_serial_sequence('deliveries', 'row_id')::regclass),
        (select max(row_id) from deliveries))
    where row_id = ${webhook}
      and (${reason} = 'gone' or (disabled_at is null and failing_since <= ${failingSinceMs}))`.execute(
    transaction,
  );
  await transaction
    .updateTable("webhooks")
    .set({ failing_since: attempt.attemptedAtMs })
    .where("row_id", "=", webhook)
    .where("failing_since", "is", null)
    .execute();
}

/**
 * Plans the next attempt after an internal error. After `maxFailures` of these, the delivery becomes a dead letter.
 * False if another worker has it now.
 */
async function recordUnsent(
  transaction: Kysely<Database>,
  { key, worker, dueAt, error, nowMs }: InternalFailure & { nowMs: number },
): Promise<boolean> {
  const { rows } = await sql<{ id: string; failures: number; isVoided: boolean }>`
    select d.id, d.failures + 1 as failures, w.deleted_at is not null or d.row_id <= w.void_through as "isVoided"
    from deliveries d join webhooks w on w.row_id = d.webhook_row_id
    where d.row_id = ${key} and d.worker = ${worker} for update of d`.execute(transaction);
  const [row] = rows;
  if (row === undefined) return false;
  const { id, failures, isVoided } = row;
  const isDead = failures % maxFailures === 0;
  await transaction
    .updateTable("deliveries")
    .set({ worker: null, failures, due_at: dueAt, status: isDead || isVoided ? "failed" : "pending" })
    .where("row_id", "=", key)
    .execute();
  if (isDead && !isVoided)
    await addDeadLetter(transaction, { queue: "deliveries", item: id, error, failures, atMs: nowMs });
  return true;
}
