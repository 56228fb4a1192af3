import { describe, expect, test } from "vitest";
import { dayMs, hourMs, type QueueWorld } from "./contract-world.ts";

/** Disabled and deleted webhooks, and purging. */
export function describeEndings(world: QueueWorld): void {
  const { addWebhook, bodies, reference, take, takeOne, recordResult, deliveriesOf, statuses } = world;

  describe("disabling", () => {
    test("happens at once when the target is gone, and voids waiting deliveries and those in progress", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents("1", "2", "3");
      const [first, second] = await take(2);
      if (!first || !second) throw new Error("Nothing is due.");
      await recordResult(first, { verdict: "failed", gone: true });
      expect(await world.fixture.store.find(reference(webhook))).toMatchObject({
        disabled: { atMs: world.nowMs, reason: "gone" },
      });
      expect(await statuses(webhook)).toEqual(["failed", "failed", "failed"]);
      expect(await take()).toEqual([]);
      await recordResult(second, { verdict: "retry", atMs: world.nowMs + 1 });
      world.nowMs += 10;
      await world.fixture.store.enable(reference(webhook));
      expect(await take()).toEqual([]);
      expect(await statuses(webhook)).toEqual(["failed", "failed", "failed"]);
    });

    test("stops new events, and enabling starts them again", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents("1");
      await recordResult(await takeOne(), { verdict: "failed", gone: true });
      await world.fixture.addEvents("2");
      expect(await take()).toEqual([]);
      expect(await world.fixture.store.enable(reference(webhook))).not.toHaveProperty("disabled");
      await world.fixture.addEvents("3");
      expect((await take()).map(({ body }) => body)).toEqual(["3"]);
    });

    test("leaves tests and replays possible", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents("1");
      await recordResult(await takeOne(), { verdict: "failed", gone: true });
      const [original] = await deliveriesOf(webhook);
      await world.fixture.store.queueReplay(reference(webhook), original?.id ?? "");
      await world.fixture.store.queueTest(reference(webhook), "test");
      expect((await take()).map(({ body, test: isTest }) => [body, isTest])).toEqual([
        ["1", false],
        ["test", true],
      ]);
    });

    test("happens after five days without a success, not before", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents(...bodies(4));
      const fail = async () => recordResult(await takeOne(), { verdict: "failed" });
      await fail();
      world.nowMs += 5 * dayMs - 1;
      await fail();
      expect(await world.fixture.store.find(reference(webhook))).not.toHaveProperty("disabled");
      world.nowMs += 1;
      await fail();
      expect(await world.fixture.store.find(reference(webhook))).toMatchObject({
        disabled: { reason: "failing" },
      });
      expect(await statuses(webhook)).toEqual(["failed", "failed", "failed", "failed"]);
    });

    test("is counted from the first failure after the last success", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents(...bodies(3));
      await recordResult(await takeOne(), { verdict: "failed" });
      world.nowMs += 4 * dayMs;
      await recordResult(await takeOne(), { verdict: "succeeded" });
      world.nowMs += 4 * dayMs;
      await recordResult(await takeOne(), { verdict: "failed" });
      expect(await world.fixture.store.find(reference(webhook))).not.toHaveProperty("disabled");
    });

    test("is never caused by test deliveries", async () => {
      const webhook = await addWebhook();
      for (const verdict of [{ verdict: "failed", gone: true }, { verdict: "failed" }] as const) {
        await world.fixture.store.queueTest(reference(webhook), "{}");
        await recordResult(await takeOne(), verdict);
        world.nowMs += 6 * dayMs;
      }
      expect(await world.fixture.store.find(reference(webhook))).not.toHaveProperty("disabled");
    });

    test("voids any number of waiting deliveries, in batches", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents(...bodies(450));
      await recordResult(await takeOne(), { verdict: "failed", gone: true });
      await world.fixture.store.enable(reference(webhook));
      await world.fixture.addEvents("after");
      for (let turn = 0; turn < 4; turn++) {
        for (const task of await take(1)) {
          expect(task.body).toBe("after");
          await recordResult(task, { verdict: "succeeded" });
        }
      }
      expect(await world.queue.waiting()).toEqual([]);
    });
  });

  describe("deleting", () => {
    test("stops retries and waiting deliveries, including those in progress", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents("1", "2");
      const task = await takeOne();
      await world.fixture.store.remove(reference(webhook));
      expect(await take()).toEqual([]);
      await recordResult(task, { verdict: "retry", atMs: world.nowMs + 1 });
      world.nowMs += hourMs;
      expect(await take()).toEqual([]);
      expect(await world.queue.waiting()).toEqual([]);
    });
  });

  describe("purging", () => {
    const purgeAll = async (beforeMs: number) => {
      while (await world.queue.purge(beforeMs));
    };

    test("removes only old deliveries", async () => {
      const webhook = await addWebhook();
      for (const body of ["old", "new"]) {
        await world.fixture.addEvents(body);
        await recordResult(await takeOne(), { verdict: "succeeded" });
        world.nowMs += 20 * dayMs;
      }
      const rows = await world.fixture.countRows();
      await purgeAll(world.nowMs - 50 * dayMs);
      expect(await world.fixture.countRows()).toBe(rows);
      await purgeAll(world.nowMs - 30 * dayMs);
      expect(await deliveriesOf(webhook)).toHaveLength(1);
      expect(await world.fixture.countRows()).toBe(rows / 2);
    });

    test("keeps the event of a replay until the replay is removed", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents("1");
      await recordResult(await takeOne(), { verdict: "succeeded" });
      const [original] = await deliveriesOf(webhook);
      world.nowMs += 29 * dayMs;
      await world.fixture.store.queueReplay(reference(webhook), original?.id ?? "");
      world.nowMs += 2 * dayMs;
      await purgeAll(world.nowMs - 30 * dayMs);
      expect(await take()).toMatchObject([{ body: "1" }]);
    });

    test("removes everything of a deleted webhook when none of its attempts is in progress", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents(...bodies(450));
      const task = await takeOne();
      await world.fixture.store.remove(reference(webhook));
      await purgeAll(world.nowMs + 1);
      // The delivery in progress and its event.
      expect(await world.fixture.countRows()).toBe(2);
      await recordResult(task, { verdict: "succeeded" });
      await purgeAll(world.nowMs + 1);
      expect(await world.fixture.countRows()).toBe(0);
    });
  });
}
