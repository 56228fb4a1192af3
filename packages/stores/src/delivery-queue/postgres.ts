import { randomUUID } from "node:crypto";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type {
  DeliveryQueue,
  DeliveryTask,
  TaskRequest,
  TaskResult,
  WaitingWebhook,
} from "@product-search/core/ports/webhooks.ts";
import { type Kysely, sql } from "kysely";
import { retryDeadlocks } from "../database/postgres/errors.ts";
import { limitIdleTime } from "../database/postgres/open.ts";
import type { Database } from "../database/schema.ts";
import { recordResults } from "./postgres/results.ts";
import { createPurge } from "./purge-deliveries.ts";
import {
  openSigningKeys,
  type SigningKeys,
  type TakenElsewhere,
  type TaskRow,
  toTask,
  withinRoom,
} from "./rows.ts";

/** How many deliveries of a disabled webhook are marked as failed in one batch. */
const voidBatchSize = 200;

export interface PostgresDeliveryQueueSettings {
  db: Kysely<Database>;
  clock: Clock;
  secretBox: SecretBox;
  /** A worker without a heartbeat during this many of another worker's is treated as dead. */
  maxMissedHeartbeats?: number;
}

const defaultMissedHeartbeats = 10;

/** The queue of one worker, next to any number of others on any number of nodes. */
export function createPostgresDeliveryQueue(settings: PostgresDeliveryQueueSettings): DeliveryQueue {
  const { db, clock, maxMissedHeartbeats = defaultMissedHeartbeats } = settings;
  const workers = createPostgresWorkers(db, maxMissedHeartbeats);

  const transact = <Result>(work: (transaction: Kysely<Database>) => Promise<Result>) =>
    retryDeadlocks(() => db.transaction().execute(work));

  const exchange = (
    results: readonly TaskResult[],
    requested: readonly TaskRequest[],
    failingSinceMs: number,
  ) =>
    transact(async (transaction): Promise<DeliveryTask[]> => {
      await sql.raw(limitIdleTime).execute(transaction);
      const worker = workers.id();
      await recordResults(transaction, results, { worker, failingSinceMs, nowMs: clock.now() });
      if (requested.length === 0 || !(await workers.hold(transaction))) return [];
      const shares = await lockRoom(transaction, requested, worker);
      return shares.length === 0 ? [] : takeTasks(transaction, settings, shares, worker);
    });

  return {
    waiting: () => waitingWebhooks(db, clock.now()),
    async exchange(results, requested, failingSinceMs) {
      const tasks = await exchange(results, requested, failingSinceMs);
      workers.note({ settled: results.map(({ task }) => task.key), taken: tasks.map(({ key }) => key) });
      return tasks;
    },
    heartbeat: () => workers.heartbeat(),
    leave: () => workers.leave(),
    async limitDueTimes(latestMs) {
      await db
        .updateTable("deliveries")
        .set({ due_at: latestMs })
        .where("status", "=", "pending")
        .where("worker", "is", null)
        .where("due_at", ">", latestMs)
        .execute();
    },
    purge: createPurge(db, clock, sql`for update skip locked`),
  };
}

/**
 * Reduces the wanted tasks to the limits, minus those of other workers. Until the transaction ends, nobody else
 * leases tasks of these accounts. An account that another worker has locked is skipped until the next poll.
 */
async function lockRoom(
  transaction: Kysely<Database>,
  requested: readonly TaskRequest[],
  worker: string,
): Promise<Pick<TaskRequest, "webhook" | "count">[]> {
  const accountIds = [...new Set(requested.map(({ webhook }) => webhook.accountId))];
  const locked = await sql<{ id: string }>`
    select id from accounts where id = any(${accountIds}::text[]) for no key update skip locked`.execute(
    transaction,
  );
  const free = new Set(locked.rows.map(({ id }) => id));
  // A separate statement after the locks, so that it sees what the former holders of the locks have committed. It asks worker
  // by worker, so that PostgreSQL uses the index of taken deliveries even without statistics of the table.
  const elsewhere = await sql<TakenElsewhere>`
    select taken.webhook, w.account_id as "accountId", taken.tasks
    from delivery_workers o
      cross join lateral (
        select webhook_row_id as webhook, count(*) as tasks from deliveries where worker = o.id group by 1) taken
      join webhooks w on w.row_id = taken.webhook
    where o.id <> ${worker}`.execute(transaction);
  return withinRoom(
    requested.filter(({ webhook }) => free.has(webhook.accountId)),
    elsewhere.rows,
  );
}

type Shares = readonly Pick<TaskRequest, "webhook" | "count">[];

/**
 * Skips from webhook to webhook in the index of waiting deliveries, however many deliveries each has. It compares the earliest
 * time: with `exists`, PostgreSQL reads all deliveries as long as it has no statistics of the table.
 */
async function waitingWebhooks(db: Kysely<Database>, nowMs: number): Promise<WaitingWebhook[]> {
  const { rows } = await sql<WaitingWebhook>`
    with recursive waiting(webhook) as (
      select min(webhook_row_id) from deliveries where status = 'pending' and worker is null
      union all
      select (select min(webhook_row_id) from deliveries
              where status = 'pending' and worker is null and webhook_row_id > waiting.webhook)
      from waiting where waiting.webhook is not null)
    select w.row_id as key, w.account_id as "accountId", w.failing_since is not null as failing
    from waiting join webhooks w on w.row_id = waiting.webhook
    where w.deleted_at is null and (w.void_through > 0 or (
      select min(due_at) from deliveries
      where webhook_row_id = w.row_id and status = 'pending' and worker is null) <= ${nowMs}::bigint)
    order by w.row_id`.execute(db);
  return rows;
}

/** Leases up to this many of each webhook, earliest due first. Call it with the accounts locked. */
async function takeTasks(
  transaction: Kysely<Database>,
  { clock, secretBox }: { clock: Clock; secretBox: SecretBox },
  shares: Shares,
  worker: string,
): Promise<DeliveryTask[]> {
  const nowMs = clock.now();
  const webhooks = new Map(shares.map(({ webhook }) => [webhook.key, webhook]));
  await voidDeliveries(transaction, [...webhooks.keys()]);
  const rows = await takeDue(transaction, shares, worker, nowMs);
  const keys = await signingKeysOf(
    transaction,
    secretBox,
    [...new Set(rows.map((row) => row.webhook))],
    nowMs,
  );
  return rows.flatMap(({ webhook: key, ...row }) => {
    const [webhook, signingKeys] = [webhooks.get(key), keys.get(key)];
    return webhook && signingKeys ? [toTask(row, webhook, signingKeys)] : [];
  });
}

/**
 * Materialised, so that the rows are selected and locked once, whatever the plan of the update. In the order of the index:
 * thousands of deliveries of one import are due at the same time, and a second column would sort all of them.
 */
async function takeDue(
  transaction: Kysely<Database>,
  shares: Shares,
  worker: string,
  nowMs: number,
): Promise<(TaskRow & { webhook: number })[]> {
  const wanted = shares.map(({ webhook, count }, position) => ({ position, webhook: webhook.key, count }));
  const { rows } = await sql<TaskRow & { webhook: number }>`
    with due as materialized (
      select position, d.row_id
      from json_to_recordset(${JSON.stringify(wanted)}::json) as wanted(position integer, webhook bigint, count integer)
      join webhooks w on w.row_id = wanted.webhook and w.deleted_at is null
      cross join lateral (
        select row_id from deliveries
        where webhook_row_id = w.row_id and status = 'pending' and worker is null and due_at <= ${nowMs}::bigint
          and row_id > w.void_through
        order by due_at limit wanted.count for update skip locked) d),
    taken as (
      update deliveries set worker = ${worker} where row_id = any (array(select row_id from due))
      returning row_id, webhook_row_id, event_row_id, attempts, failures, kind, due_at)
    select t.row_id as key, t.webhook_row_id as webhook, t.attempts, t.failures, t.kind, e.id as "eventId", e.body, e.traceparent, w.url
    from taken t join due on due.row_id = t.row_id join webhooks w on w.row_id = t.webhook_row_id
      join lateral (select id, body, traceparent from webhook_events where row_id = t.event_row_id limit 1) e on true
    order by due.position, t.due_at, t.row_id`.execute(transaction);
  return rows;
}

/** Newest first: the webhook's own key, then the former ones that still sign. */
async function signingKeysOf(
  transaction: Kysely<Database>,
  secretBox: SecretBox,
  webhooks: readonly number[],
  nowMs: number,
): Promise<Map<number, SigningKeys>> {
  if (webhooks.length === 0) return new Map();
  const { rows } = await sql<{ webhook: number; key: Uint8Array }>`
    select row_id as webhook, key, null::bigint as former from webhooks where row_id = any(${webhooks}::bigint[])
    union all
    select webhook_row_id, key, row_id from webhook_former_keys
    where webhook_row_id = any(${webhooks}::bigint[]) and until > ${nowMs}::bigint
    order by webhook, former desc nulls first`.execute(transaction);
  const sealed = Map.groupBy(rows, ({ webhook }) => webhook);
  return new Map(
    [...sealed].map(([webhook, keys]) => [
      webhook,
      openSigningKeys(
        secretBox,
        keys.map(({ key }) => key),
      ),
    ]),
  );
}

/** Voids the deliveries of disabled webhooks in batches, then clears the marks of their disabling. */
async function voidDeliveries(transaction: Kysely<Database>, webhooks: readonly number[]): Promise<void> {
  const disabled = await sql<{ webhook: number; last: number }>`
    select row_id as webhook, void_through as last from webhooks
    where row_id = any(${webhooks}::bigint[]) and void_through > 0 order by row_id`.execute(transaction);
  for (const { webhook, last } of disabled.rows) await voidThrough(transaction, webhook, last);
}

async function voidThrough(transaction: Kysely<Database>, webhook: number, last: number): Promise<void> {
  const marked = await sql`
    update deliveries set status = 'failed' where row_id in (
      select row_id from deliveries
      where webhook_row_id = ${webhook} and status = 'pending' and worker is null and row_id <= ${last}
      limit ${voidBatchSize} for update skip locked)`.execute(transaction);
  if (marked.numAffectedRows === BigInt(voidBatchSize)) return;
  // Disabled again meanwhile, or an attempt is still in progress: the mark stays.
  await sql`
    update webhooks set void_through = 0 where row_id = ${webhook} and void_through = ${last} and not exists (
      select 1 from deliveries
      where webhook_row_id = ${webhook} and row_id <= ${last} and status = 'pending')`.execute(transaction);
}

interface PostgresWorkers {
  id(): string;
  /** Whether the others still treat this worker as alive. Until the transaction ends none of them changes that. */
  hold(transaction: Kysely<Database>): Promise<boolean>;
  /** The results and tasks of a committed exchange. */
  note(exchanged: { settled: readonly number[]; taken: readonly number[] }): void;
  /** See the port. */
  heartbeat(): Promise<boolean>;
  leave(): Promise<void>;
}

interface Worker {
  id: string;
  beat: number;
}

/**
 * Detects dead workers, as on SQLite: every worker counts heartbeats, and one whose count did not change during
 * `maxMissedHeartbeats` heartbeats of the watcher is dead. No clock is used. During an outage of the database nobody
 * counts, so nobody looks dead.
 */
function createPostgresWorkers(db: Kysely<Database>, maxMissedHeartbeats: number): PostgresWorkers {
  const seen = new Map<string, { beat: number; since: number }>();
  const held = new Set<number>();
  let id = randomUUID();
  let ownHeartbeats = 0;
  let isRegistered = false;

  const isExpired = ({ id: other, beat }: Worker) => {
    const last = seen.get(other);
    if (last?.beat === beat) return other !== id && ownHeartbeats - last.since >= maxMissedHeartbeats;
    seen.set(other, { beat, since: ownHeartbeats });
    return false;
  };

  const beat = (next: string) =>
    db.transaction().execute(async (transaction) => {
      const lives = await countUp(transaction, id);
      if (!lives) await transaction.insertInto("delivery_workers").values({ id: next, beat: 0 }).execute();
      else await freeUnknown(transaction, id, [...held]);
      const workers = await transaction.selectFrom("delivery_workers").selectAll().execute();
      return { lives, workers };
    });

  return {
    id: () => id,
    hold: async (transaction) => {
      const { rows } = await sql`select 1 from delivery_workers where id = ${id} for key share`.execute(
        transaction,
      );
      return rows.length > 0;
    },
    note({ settled, taken }) {
      for (const key of settled) held.delete(key);
      for (const key of taken) held.add(key);
    },
    async heartbeat() {
      const next = randomUUID();
      const { lives, workers } = await beat(next);
      const hasExpired = isRegistered && !lives;
      isRegistered = true;
      if (!lives) {
        id = next;
        held.clear();
      }
      ownHeartbeats += 1;
      const expired = workers.filter(isExpired);
      for (const gone of seen.keys()) if (!workers.some((worker) => worker.id === gone)) seen.delete(gone);
      for (const worker of expired) await removeWorker(db, worker);
      return !hasExpired;
    },
    async leave() {
      const self = await db
        .selectFrom("delivery_workers")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst();
      if (self !== undefined) await removeWorker(db, self);
    },
  };
}

async function countUp(transaction: Kysely<Database>, id: string): Promise<boolean> {
  const counted = await transaction
    .updateTable("delivery_workers")
    .set((row) => ({ beat: sql<number>`${row.ref("beat")} + 1` }))
    .where("id", "=", id)
    .executeTakeFirst();
  return counted.numUpdatedRows > 0n;
}

/**
 * Without this, nobody would ever attempt the tasks of an exchange whose reply was lost, or those that a restored backup or a
 * failover gave back to this worker. Such an exchange may also be committed after the next heartbeat, so each one does this.
 */
async function freeUnknown(transaction: Kysely<Database>, id: string, taskIds: number[]): Promise<void> {
  await sql`update deliveries set worker = null where worker = ${id} and row_id <> all(${taskIds}::bigint[])`.execute(
    transaction,
  );
}

/**
 * The heartbeat is compared once more, so that a worker that has just sent one stays. So does one with an exchange in
 * progress, until that ends; a watcher never waits for it.
 */
function removeWorker(db: Kysely<Database>, { id, beat }: Worker): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const removed = await sql`
      delete from delivery_workers where id in (
        select id from delivery_workers where id = ${id} and beat = ${beat} for update skip locked)
      returning id`.execute(transaction);
    if (removed.rows.length === 0) return;
    await transaction.updateTable("deliveries").set({ worker: null }).where("worker", "=", id).execute();
  });
}
