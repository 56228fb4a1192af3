import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";

export interface PostgresWorkers {
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
export function createPostgresWorkers(db: Kysely<Database>, maxMissedHeartbeats: number): PostgresWorkers {
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
async function freeUnknown(transaction: Kysely<Database>, id: string, known: number[]): Promise<void> {
  await sql`update deliveries set worker = null where worker = ${id} and row_id <> all(${known}::bigint[])`.execute(
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
