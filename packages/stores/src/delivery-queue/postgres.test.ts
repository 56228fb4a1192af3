import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeadLetters } from "@product-search/core/ports/webhooks.ts";
import { describeDeliveryQueue } from "@product-search/testing/contracts/delivery-queue.ts";
import { describeDeadDeliveries } from "@product-search/testing/contracts/delivery-queue-letters.ts";
import type { DeliveryQueueFixture } from "@product-search/testing/contracts/delivery-queue-world.ts";
import { type Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import { createTestSecretBox } from "../../testing/each-engine.ts";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { createSqlAccountStore } from "../account-store/account-store.ts";
import { openPostgres } from "../database/postgres/open.ts";
import type { Database } from "../database/schema.ts";
import { createPostgresDeadLetters } from "../dead-letters/dead-letters.ts";
import { createSqlWebhookStore } from "../webhook-store/webhook-store.ts";
import { createPostgresDeliveryQueue } from "./postgres.ts";

const maxMissedHeartbeats = 3;

async function open(
  clock: Clock,
): Promise<DeliveryQueueFixture & { db: Kysely<Database>; deadLetters: DeadLetters }> {
  const { db, url, close } = await openTestPostgres();
  const nodes: { close(): Promise<void> }[] = [];
  const secretBox = createTestSecretBox();
  const account = await createSqlAccountStore({ db, clock }).ensureAccount("own");
  return {
    db,
    async join() {
      const node = await openPostgres({ url });
      nodes.push(node);
      return createPostgresDeliveryQueue({ db: node.db, clock, secretBox, maxMissedHeartbeats });
    },
    maxMissedHeartbeats,
    store: createSqlWebhookStore({ db, clock, secretBox }),
    accountId: account.id,
    async damageKey(webhookId) {
      await db
        .updateTable("webhooks")
        .set({ key: new Uint8Array(1) })
        .where("id", "=", webhookId)
        .execute();
    },
    async refuseOutcome(error) {
      await sql
        .raw(
          `create function refuse_outcome() returns trigger language plpgsql as
             $$ begin raise exception 'refused'; end $$;
           create trigger refuse_outcome before insert on delivery_attempts for each row
             when (new.error = '${error}') execute function refuse_outcome()`,
        )
        .execute(db);
    },
    deadLetters: createPostgresDeadLetters({ db, clock }),
    addEvents: (...bodies) => addEvents(db, bodies, clock.now()),
    async countRows() {
      const { rows } = await sql<{ rows: number }>`
        select (select count(*) from webhook_events) + (select count(*) from deliveries)
          + (select count(*) from delivery_attempts) as rows`.execute(db);
      return rows[0]?.rows ?? 0;
    },
    async close() {
      for (const node of nodes) await node.close();
      await close();
    },
  };
}

async function addEvents(db: Kysely<Database>, bodies: readonly string[], nowMs: number): Promise<void> {
  await sql`
    with events as (
      insert into webhook_events (id, type, body, created_at)
      select 'ev_' || gen_random_uuid(), 'price.alert', body, ${nowMs}::bigint
      from unnest(${bodies}::text[]) with ordinality b (body, number) order by number
      returning row_id)
    insert into deliveries (id, webhook_row_id, event_row_id, kind, status, attempts, due_at, created_at)
    select 'dl_' || w.row_id || '_' || e.row_id, w.row_id, e.row_id, 'event', 'pending', 0, ${nowMs}::bigint, ${nowMs}::bigint
    from events e cross join webhooks w where disabled_at is null and deleted_at is null
    order by e.row_id`.execute(db);
}

describeOnPostgres("the PostgreSQL delivery queue", () => {
  describeDeliveryQueue(open);
  describeDeadDeliveries(open);

  const world = async () => {
    const nowMs = Date.UTC(2026, 4, 1);
    const fixture = await open({ now: () => nowMs });
    const url = "https://partner.example/hook";
    const webhook = { accountId: fixture.accountId, url, type: "price.alert", key: "whsec_AAAA" } as const;
    const record = await fixture.store.create(webhook, 10);
    const queue = await fixture.join();
    await queue.heartbeat();
    const take = async () => {
      const room = { webhook: 9, account: 9 };
      const wanted = (await queue.waiting()).map((waiting) => ({ webhook: waiting, count: 9, room }));
      return queue.exchange([], wanted, 0);
    };
    return {
      ...fixture,
      queue,
      take,
      nowMs,
      reference: { accountId: fixture.accountId, webhookId: record?.id ?? "" },
    };
  };

  test("frees tasks that the database says this worker has, but that it does not know of", async () => {
    const { db, queue, take, addEvents, close } = await world();
    await addEvents("1");
    expect((await take()).map(({ body }) => body)).toEqual(["1"]);
    const { id } = await db.selectFrom("delivery_workers").select("id").executeTakeFirstOrThrow();
    for (const body of ["after a backup was restored", "from a commit that came after the heartbeat"]) {
      await addEvents(body);
      await db.updateTable("deliveries").set({ worker: id }).where("worker", "is", null).execute();
      expect(await take()).toEqual([]);
      await queue.heartbeat();
      expect((await take()).map((task) => task.body)).toEqual([body]);
    }
    await close();
  });

  test("an exchange that is paused keeps its locks for three seconds at most", async () => {
    const { db, take, addEvents, close } = await world();
    for (const statement of [
      "create table idle_limits (idle text)",
      `create function note_limit() returns trigger language plpgsql as $$ begin
         insert into idle_limits values (current_setting('idle_in_transaction_session_timeout')); return new; end $$`,
      "create trigger note_limit before update on deliveries for each row execute function note_limit()",
    ])
      await sql.raw(statement).execute(db);
    await addEvents("1");
    await take();
    expect((await sql`select idle from idle_limits`.execute(db)).rows).toEqual([{ idle: "3s" }]);
    await close();
  });

  test("stores the response of a target, whatever it contains", async () => {
    const { queue, take, addEvents, store, reference, nowMs, close } = await world();
    await addEvents("1");
    const [task] = await take();
    if (task === undefined) throw new Error("Nothing is due.");
    const attempt = {
      attemptedAtMs: nowMs,
      durationMs: 5,
      responseStatus: 500,
      responseBody: "a\0b\ud800'\\",
    };
    await queue.exchange([{ task, attempt: { ...attempt, verdict: "failed" } }], [], 0);
    const page = await store.listDeliveries(reference, { limit: 1 });
    expect(page?.deliveries[0]?.attempts[0]?.responseBody).toBe("a\ufffdb\ufffd'\\");
    await close();
  });
});
