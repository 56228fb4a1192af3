import { setTimeout } from "node:timers/promises";
import {
  DummyDriver,
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { Database } from "../schema.ts";
import { followDatabaseClock } from "./database-clock.ts";

const hourMs = 3_600_000;
/** Half of a stall would be added to a clock that follows it; a busy machine takes tens of milliseconds. */
const notableMs = 100;

/** Its clock is an hour ahead. It stalls before it reads it, as long as the next entry says. */
function openStalling(stallsMs: number[]) {
  const replies = { count: 0 };
  const now = () => Date.now() + hourMs;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async () => {
      await setTimeout(stallsMs.shift() ?? 0);
      replies.count += 1;
      return { rows: [{ now: now() }] };
    },
  };
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (introspected) => new PostgresIntrospector(introspected),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [plugin],
  });
  return { db, now, replies };
}

async function follow(stallsMs: number[], times = { everyMs: 5, againAfterMs: 5 }) {
  const { db, now, replies } = openStalling(stallsMs);
  const errors: unknown[] = [];
  const clock = await followDatabaseClock(db, (error) => errors.push(error), times);
  onTestFinished(() => clock.stop());
  return {
    replies,
    errors,
    fastMs: () => clock.now() - now(),
    async afterReplies(count: number) {
      while (replies.count < count) await setTimeout(1);
    },
  };
}

test("keeps its time when the database stalls before it reads its clock", async () => {
  const clock = await follow([0, 400], { everyMs: 5, againAfterMs: hourMs });
  await clock.afterReplies(2);
  await setTimeout(5);
  expect(Math.abs(clock.fastMs())).toBeLessThan(notableMs);
  expect(clock.errors).toEqual([]);
});

test("is never wrong by more than the first round trip, and compares again soon after it", async () => {
  const clock = await follow([400], { everyMs: hourMs, againAfterMs: 5 });
  expect(clock.fastMs()).toBeGreaterThanOrEqual(-notableMs);
  expect(clock.fastMs()).toBeLessThan(450);
  await clock.afterReplies(2);
  await setTimeout(5);
  expect(Math.abs(clock.fastMs())).toBeLessThan(notableMs);
});

test("compares no more after it was stopped", async () => {
  const { db, replies } = openStalling([0, 20]);
  const clock = await followDatabaseClock(db, () => {}, { everyMs: 1, againAfterMs: 1 });
  await setTimeout(10);
  clock.stop();
  await setTimeout(40);
  expect(replies.count).toBe(2);
});
