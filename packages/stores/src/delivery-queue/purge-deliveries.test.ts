import { describe, expect, onTestFinished, test } from "vitest";
import { openMemoryDatabase } from "../database/open.ts";
import type * as Sqlite from "../database/sqlite.ts";
import { createPurge } from "./purge-deliveries.ts";

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
