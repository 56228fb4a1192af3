import { type Kysely, sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import type { Database } from "../database/schema.ts";
import { acquireLease } from "./postgres.ts";

async function opened(): Promise<Kysely<Database>> {
  const { db, close } = await openTestPostgres();
  onTestFinished(close);
  return db;
}

const acquire = (db: Kysely<Database>, holder: string) =>
  acquireLease(db, { job: "cleanup", holder, leaseMs: 60_000 });

async function waitingForLocks(db: Kysely<Database>): Promise<number | undefined> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]?.count;
}

describeOnPostgres("acquiring a lease", () => {
  test("only reads while another node has it, and does not wait for its row", async () => {
    const db = await opened();
    expect(await acquire(db, "a")).toBe(1);
    await db.transaction().execute(async (renewing) => {
      await sql`select 1 from leases for update`.execute(renewing);
      await db.transaction().execute(async (looking) => {
        await sql`set local lock_timeout = 100`.execute(looking);
        expect(await acquire(looking, "b")).toBeUndefined();
        const written = await sql`select pg_current_xact_id_if_assigned() as id`.execute(looking);
        expect(written.rows).toEqual([{ id: null }]);
      });
    });
  });

  test.each([
    { state: "that nobody has had", number: 1 },
    { state: "that has expired", number: 2 },
  ])("gives one $state to one of two nodes that find it free", async ({ number }) => {
    const db = await opened();
    if (number > 1) await acquireLease(db, { job: "cleanup", holder: "dead", leaseMs: 0 });
    const second = Promise.withResolvers<number | undefined>();
    await db.transaction().execute(async (transaction) => {
      expect(await acquire(transaction, "a")).toBe(number);
      acquire(db, "b").then(second.resolve, second.reject);
      await expect.poll(() => waitingForLocks(db), { timeout: 60_000, interval: 20 }).toBe(1);
    });
    expect(await second.promise).toBeUndefined();
  });
});
