import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";

export interface PostgresWorkers {
  id(): string;
  /** Whether the others still count on this worker; until the transaction ends none of them gives it up. */
  hold(transaction: Kysely<Database>): Promise<boolean>;
  /** What an exchange has settled and taken. */
  note(exchanged: { settled: readonly number[]; taken: readonly number[] }): void;
  /** An exchange failed: it may have committed all the same, and its response was lost. */
  noteUnknown(): void;
  /** See the port. */
  heartbeat(): Promise<boolean>;
  leave(): Promise<void>;
}

interface Worker {
  id: string;
  beat: number;
}

/**
 * Who is alive, as on SQLite: every worker counts up, and one whose count stood still while the watcher counted
 * `maxMissedHeartbeats` times is dead. No clock is asked, and an outage of the database makes nobody look dead: nobody
 * counts meanwhile.
 */
export function createPostgresWorkers(db: Kysely<Database>, maxMissedHeartbeats: number): PostgresWorkers {
  const seen = new Map<string, { beat: number; since: number }>();
  const held = new Set<number>();
  let id = randomUUID();
  let ownHeartbeats = 0;
  let isRegistered = false;
  let hasUnknown = false;

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
      else if (hasUnknown) await freeUnknown(transaction, id, [...held]);
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
    noteUnknown() {
      hasUnknown = true;
    },
    async heartbeat() {
      const next = randomUUID();
      const { lives, workers } = await beat(next);
      hasUnknown = false;
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

/** What an exchange took whose response was lost, nobody would ever attempt. */
async function freeUnknown(transaction: Kysely<Database>, id: string, known: number[]): Promise<void> {
  await sql`update deliveries set worker = null where worker = ${id} and row_id <> all(${known}::bigint[])`.execute(
    transaction,
  );
}

/**
 * The beat is compared once more: a worker that has just counted up stays. So does one that is in the middle of an
 * exchange, until that ends; a watcher never waits for it.
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
