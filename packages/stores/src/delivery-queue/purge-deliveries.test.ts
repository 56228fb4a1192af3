import { type Kysely, sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTestDatabase, describeOnPostgres } from "../../testing/postgres.ts";
import { openMemoryDatabase } from "../database/open.ts";
import { openPostgres } from "../database/postgres/open.ts";
import type { Database } from "../database/schema.ts";
import type * as Sqlite from "../database/sqlite.ts";
import { createPurge } from "./purge-deliveries.ts";

describe("purge deliveries", () => {
  const nowMs = Date.UTC(2026, 4, 1);
  const beforeMs = nowMs - 1000;

  /** Events are counted when their time is read: it is computed by a function of this test. */
  async function opened() {
    const { connection, db, close } = await openMemoryDatabase();
    onTestFinished(close);
    const read = { events: 0 };
    connection.function("count_event", { deterministic: true }, (createdAt) => {
      read.events += 1;
      return createdAt;
    });
    connection.exec(
      `alter table webhook_events drop column created_at;
     alter table webhook_events add column stored_at integer;
     alter table webhook_events add column created_at integer as (count_event(stored_at));
     insert into accounts (id, name, created_at) values ('a', 'a', 0);
     insert into webhooks (row_id, id, account_id, url, type, key, created_at, void_through)
     values (1, 'w', 'a', '', 'price.alert', '', 0, 0)`,
    );
    return { connection, read, purge: createPurge(db, { now: () => nowMs }) };
  }

  function addEvents(connection: Sqlite.Database, count: number, createdAtMs: number): void {
    connection
      .prepare(
        `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < @count)
       insert into webhook_events (id, type, body, stored_at)
       select 'ev_' || n, 'price.alert', '{}', @createdAtMs from numbers`,
      )
      .run({ createdAtMs, count });
  }

  /** A new delivery of each of the first events. */
  function addDeliveries(connection: Sqlite.Database, count: number): void {
    connection
      .prepare(
        `insert into deliveries (id, webhook_row_id, event_row_id, kind, status, attempts, due_at, created_at)
       select 'dl_' || row_id, 1, row_id, 'event', 'succeeded', 1, @nowMs, @nowMs
       from webhook_events order by row_id limit @count`,
      )
      .run({ nowMs, count });
  }

  function eventsLeft(connection: Sqlite.Database): unknown {
    return connection.prepare("select count(*) from webhook_events").pluck().get();
  }

  describe("purging deliveries on SQLite", () => {
    test.each([0, 15_000])("reads few rows of 15,000 new events with %i deliveries", async (count) => {
      const { connection, read, purge } = await opened();
      addEvents(connection, 15_000, nowMs);
      addDeliveries(connection, count);
      read.events = 0;
      expect(await purge(beforeMs)).toBe(false);
      expect(read.events).toBeLessThan(1000);
      expect(eventsLeft(connection)).toBe(15_000);
    });

    test("removes old events behind any number that replays use", async () => {
      const { connection, purge } = await opened();
      addEvents(connection, 500, 0);
      addDeliveries(connection, 450);
      while (await purge(beforeMs));
      expect(eventsLeft(connection)).toBe(450);
      connection.exec("delete from deliveries");
      while (await purge(beforeMs));
      expect(eventsLeft(connection)).toBe(0);
    });
  });
});

describe("purging on PostgreSQL", () => {
  const nowMs = Date.UTC(2026, 4, 1);
  const beforeMs = nowMs - 1000;

  /** With one connection, so that it knows how many rows all statements before have read. */
  async function opened() {
    const { url, drop } = await createTestDatabase();
    const { db, close } = await openPostgres({ url, maxConnections: 1 });
    onTestFinished(async () => {
      await close();
      await drop();
    });
    await sql`insert into accounts (id, name, created_at) values ('a', 'a', 0)`.execute(db);
    await sql`
    insert into webhooks (row_id, id, account_id, url, type, key, created_at, void_through, deleted_at)
    values (1, 'kept', 'a', '', 'price.alert', '', 0, 0, null),
      (2, 'deleted', 'a', '', 'price.alert', '', 0, 0, ${nowMs})`.execute(db);
    return { db, purge: createPurge(db, { now: () => nowMs }, sql`for update skip locked`) };
  }

  async function addEvents(db: Kysely<Database>, count: number, createdAtMs: number): Promise<void> {
    await sql`
    insert into webhook_events (id, type, body, created_at)
    select 'ev_' || gen_random_uuid(), 'price.alert', '{}', ${createdAtMs}::bigint
    from generate_series(1, ${count}::integer)`.execute(db);
  }

  /** A new delivery of each of the first events. */
  async function addDeliveries(db: Kysely<Database>, count: number, webhook = 1): Promise<void> {
    await sql`
    insert into deliveries (id, webhook_row_id, event_row_id, kind, status, attempts, due_at, created_at)
    select 'dl_' || gen_random_uuid(), ${webhook}::bigint, row_id, 'event', 'succeeded', 1, ${nowMs}::bigint, ${nowMs}::bigint
    from webhook_events order by row_id limit ${count}`.execute(db);
  }

  /** How many rows of each table the work reads, with statistics of the tables, as a server has them. */
  async function rowsRead(db: Kysely<Database>, work: () => Promise<unknown>) {
    await sql`analyze webhooks, webhook_events, deliveries`.execute(db);
    const read = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(db);
      const { rows } = await sql<{ table: string; rows: number }>`
      select relname as table, seq_tup_read + idx_tup_fetch as rows from pg_stat_user_tables`.execute(db);
      return new Map(rows.map(({ table, rows }) => [table, rows]));
    };
    const before = await read();
    await work();
    const after = await read();
    const difference = (table: string) => (after.get(table) ?? 0) - (before.get(table) ?? 0);
    return { events: difference("webhook_events"), deliveries: difference("deliveries") };
  }

  async function eventsLeft(db: Kysely<Database>): Promise<number | undefined> {
    const { rows } = await sql<{ events: number }>`select count(*) as events from webhook_events`.execute(db);
    return rows[0]?.events;
  }

  describeOnPostgres("purging deliveries on PostgreSQL", () => {
    test.each([0, 15_000])("reads few rows of 15,000 new events with %i deliveries", async (count) => {
      const { db, purge } = await opened();
      await addEvents(db, 15_000, nowMs);
      await addDeliveries(db, count);
      const read = await rowsRead(db, async () => expect(await purge(beforeMs)).toBe(false));
      expect(read.events).toBeLessThan(1000);
      expect(read.deliveries).toBeLessThan(11_000);
      expect(await eventsLeft(db)).toBe(15_000);
    });

    test("finds the deliveries of a deleted webhook without reading those of others", async () => {
      const { db, purge } = await opened();
      await addEvents(db, 15_000, nowMs);
      await addDeliveries(db, 15_000);
      await addDeliveries(db, 10, 2);
      const read = await rowsRead(db, () => purge(beforeMs));
      expect(read.deliveries).toBeLessThan(11_000);
      const left = await sql`select 1 from deliveries where webhook_row_id = 2`.execute(db);
      expect(left.rows).toEqual([]);
    });
  });
});
