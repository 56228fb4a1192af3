import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeadLetters } from "@product-search/core/ports/webhooks.ts";
import { describeDeliveryQueue } from "@product-search/testing/contracts/delivery-queue.ts";
import { describeDeadDeliveries } from "@product-search/testing/contracts/delivery-queue-letters.ts";
import type { DeliveryQueueFixture } from "@product-search/testing/contracts/delivery-queue-world.ts";
import { describe, expect, test } from "vitest";
import { createSqlAccountStore } from "../account-store/account-store.ts";
import { type OpenDatabase, openDatabase } from "../database/open.ts";
import { createSqliteDeadLetters } from "../dead-letters/dead-letters.ts";
import { createAesGcmSecretBox } from "../secret-box/secret-keys.ts";
import { createSqlWebhookStore } from "../webhook-store/webhook-store.ts";
import { createSqliteDeliveryQueue } from "./sqlite.ts";

const maxMissedHeartbeats = 3;

async function open(clock: Clock): Promise<DeliveryQueueFixture & { deadLetters: DeadLetters }> {
  const dataDir = await mkdtemp(join(tmpdir(), "delivery-queue-"));
  const databases: OpenDatabase[] = [];
  const openOne = async () => {
    const database = await openDatabase(dataDir);
    databases.push(database);
    return database;
  };
  const { db, connection } = await openOne();
  const secretBox = createAesGcmSecretBox({ secretKey: undefined, dataDir });
  const account = await createSqlAccountStore({ db, clock }).ensureAccount("own");
  const addEvent = connection.prepare(
    "insert into webhook_events (id, type, body, created_at) values (?, 'price.alert', ?, ?)",
  );
  const addDeliveries = connection.prepare(
    `insert into deliveries (id, webhook_row_id, event_row_id, kind, status, attempts, due_at, created_at)
     select 'dl_' || row_id || '_' || @event, row_id, @event, 'event', 'pending', 0, @nowMs, @nowMs
     from webhooks where disabled_at is null and deleted_at is null`,
  );
  const addAll = connection.transaction((bodies: readonly string[], nowMs: number) => {
    for (const body of bodies) {
      const event = addEvent.run(`ev_${crypto.randomUUID()}`, body, nowMs).lastInsertRowid;
      addDeliveries.run({ event, nowMs });
    }
  });
  return {
    join: async () =>
      createSqliteDeliveryQueue({ ...(await openOne()), clock, secretBox, maxMissedHeartbeats }),
    maxMissedHeartbeats,
    store: createSqlWebhookStore({ db, clock, secretBox }),
    accountId: account.id,
    async damageKey(webhookId) {
      connection.prepare("update webhooks set key = x'00' where id = ?").run(webhookId);
    },
    async refuseOutcome(error) {
      connection.exec(
        `create trigger refuse_outcome before insert on delivery_attempts when new.error = '${error}'
         begin select raise(abort, 'refused'); end`,
      );
    },
    deadLetters: createSqliteDeadLetters({ db, clock }),
    addEvents: async (...bodies) => addAll(bodies, clock.now()),
    async countRows() {
      const tables = ["webhook_events", "deliveries", "delivery_attempts"];
      const counts = tables.map((table) =>
        connection.prepare<[], { rows: number }>(`select count(*) as rows from ${table}`).get(),
      );
      return counts.reduce((sum, count) => sum + (count?.rows ?? 0), 0);
    },
    async close() {
      for (const database of databases) await database.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

test("the heartbeats of a worker alone write nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "delivery-queue-"));
  const database = await openDatabase(folder);
  const { connection, db } = database;
  const clock = { now: Date.now };
  const secretBox = createAesGcmSecretBox({ secretKey: undefined, dataDir: folder });
  const alone = createSqliteDeliveryQueue({ connection, db, clock, secretBox });
  const other = createSqliteDeliveryQueue({ connection, db, clock, secretBox });
  const writtenBy = async (worker: typeof alone) => {
    const before = connection.prepare("select total_changes()").pluck().get();
    expect(await worker.heartbeat()).toBe(true);
    return connection.prepare("select total_changes()").pluck().get() !== before;
  };
  expect([await writtenBy(alone), await writtenBy(alone), await writtenBy(alone)]).toEqual([
    true,
    false,
    false,
  ]);
  expect([await writtenBy(other), await writtenBy(alone)]).toEqual([true, true]);
  await other.leave();
  expect(await writtenBy(alone)).toBe(false);
  await database.close();
  await rm(folder, { recursive: true });
});

describe("the SQLite delivery queue", () => {
  describeDeliveryQueue(open);
  describeDeadDeliveries(open);
});
