import type { DeliveryQueue, DeliveryTask, WebhookRecord } from "@product-search/core/ports/webhooks.ts";
import { describe, expect, test } from "vitest";
import { dayMs, hourMs, type QueueWorld } from "./delivery-queue-world.ts";

/** Leasing tasks, limits, recording results, and workers. */
export function describeTaking(world: QueueWorld): void {
  const { addWebhook, bodies, reference, longAgo, take, takeOne, recordResult, deliveriesOf, statuses } =
    world;

  describe("leasing", () => {
    test("returns everything that an attempt needs", async () => {
      const { accountId } = await addWebhook("whsec_AAAA");
      await world.fixture.addEvents('{"n":1}');
      expect(await take()).toEqual([
        {
          key: expect.any(Number),
          webhook: { key: expect.any(Number), accountId, failing: false },
          url: "https://partner.example/hook",
          eventId: expect.stringMatching(/^ev_/),
          body: '{"n":1}',
          signingKeys: ["whsec_AAAA"],
          test: false,
          attempt: 1,
          failures: 0,
        },
      ]);
    });

    test("returns each delivery once, oldest first, up to the requested number", async () => {
      await addWebhook();
      await addWebhook();
      for (let event = 0; event < 5; event++) {
        await world.fixture.addEvents(String(event));
        world.nowMs += 1;
      }
      const first = await take(3);
      expect(first.map(({ body }) => body)).toEqual(["0", "1", "2", "0", "1", "2"]);
      const second = await take(3);
      expect(second.map(({ body }) => body)).toEqual(["3", "4", "3", "4"]);
      expect(await world.queue.waiting()).toEqual([]);
      expect(await take()).toEqual([]);
    });

    test("never gives two workers the same delivery", async () => {
      await addWebhook();
      await world.fixture.addEvents(...bodies(30));
      const workers = [world.queue, await world.fixture.join(), await world.fixture.join()];
      const taken: DeliveryTask[] = [];
      for (const worker of workers) await worker.heartbeat();
      for (let turn = 0; turn < 12; turn++) {
        for (const worker of workers) taken.push(...(await take(1, worker)));
      }
      expect(taken).toHaveLength(30);
      expect(new Set(taken.map(({ key }) => key)).size).toBe(30);
    });

    const rotate = (webhook: WebhookRecord, key: string, revokeFormer = false) =>
      world.fixture.store.replaceKey(reference(webhook), key, {
        formerUntilMs: world.nowMs + dayMs,
        maxKeys: 3,
        revokeFormer,
      });

    test("signs with both keys for some time after a rotation", async () => {
      const webhook = await addWebhook("whsec_OLD");
      await rotate(webhook, "whsec_NEW");
      await world.fixture.addEvents("1", "2");
      expect((await takeOne()).signingKeys).toEqual(["whsec_NEW", "whsec_OLD"]);
      world.nowMs += dayMs;
      expect((await takeOne()).signingKeys).toEqual(["whsec_NEW"]);
    });

    test("signs with each former key until its own time, and with at most three keys", async () => {
      const webhook = await addWebhook("whsec_1");
      await world.fixture.addEvents(...bodies(5));
      const oldestUntilMs = world.nowMs + dayMs;
      await rotate(webhook, "whsec_2");
      world.nowMs += hourMs;
      expect(await rotate(webhook, "whsec_3")).toEqual({ rotated: webhook });
      expect((await takeOne()).signingKeys).toEqual(["whsec_3", "whsec_2", "whsec_1"]);
      expect(await rotate(webhook, "whsec_4")).toEqual({ oldestUntilMs });
      expect((await takeOne()).signingKeys).toEqual(["whsec_3", "whsec_2", "whsec_1"]);
      world.nowMs = oldestUntilMs;
      expect((await takeOne()).signingKeys).toEqual(["whsec_3", "whsec_2"]);
      expect(await rotate(webhook, "whsec_4")).toEqual({ rotated: webhook });
      expect((await takeOne()).signingKeys).toEqual(["whsec_4", "whsec_3", "whsec_2"]);
      expect(await rotate(webhook, "whsec_5", true)).toEqual({ rotated: webhook });
      expect((await takeOne()).signingKeys).toEqual(["whsec_5"]);
    });

    test("gives nothing to a worker without heartbeats", async () => {
      await addWebhook();
      await world.fixture.addEvents("1");
      expect(await take(1, await world.fixture.join())).toEqual([]);
    });
  });

  describe("limits", () => {
    const takeWithin = async (
      room: { webhook: number; account: number },
      worker: DeliveryQueue,
      count = 10,
    ) => {
      const wanted = (await worker.waiting()).map((webhook) => ({ webhook, count, room }));
      return worker.exchange([], wanted, longAgo());
    };
    const join = async () => {
      const worker = await world.fixture.join();
      await worker.heartbeat();
      return worker;
    };

    test("of a webhook apply to all workers together", async () => {
      await addWebhook();
      await world.fixture.addEvents(...bodies(20));
      const other = await join();
      const [first, ...rest] = await takeWithin({ webhook: 3, account: 100 }, other, 3);
      expect(rest).toHaveLength(2);
      expect(await takeWithin({ webhook: 5, account: 100 }, world.queue)).toHaveLength(2);
      expect(await takeWithin({ webhook: 3, account: 100 }, world.queue)).toEqual([]);
      if (first) await recordResult(first, { verdict: "succeeded" }, other);
      expect(await takeWithin({ webhook: 3, account: 100 }, world.queue)).toHaveLength(1);
    });

    test("of an account apply to all its webhooks and all workers together", async () => {
      for (let webhook = 0; webhook < 3; webhook++) await addWebhook();
      await world.fixture.addEvents(...bodies(5));
      expect(await takeWithin({ webhook: 100, account: 6 }, await join(), 2)).toHaveLength(6);
      expect(await takeWithin({ webhook: 100, account: 8 }, world.queue, 2)).toHaveLength(2);
      expect(await takeWithin({ webhook: 100, account: 6 }, await join())).toEqual([]);
    });

    test("apply if workers lease at the same time", async () => {
      await addWebhook();
      await addWebhook();
      await world.fixture.addEvents(...bodies(50));
      const workers = [world.queue, await join(), await join(), await join()];
      const taken = await Promise.all(
        workers.map((worker) => takeWithin({ webhook: 4, account: 7 }, worker)),
      );
      const byWebhook = Map.groupBy(taken.flat(), ({ webhook }) => webhook.key);
      for (const tasks of byWebhook.values()) expect(tasks.length).toBeLessThanOrEqual(4);
      expect(taken.flat().length).toBeLessThanOrEqual(7);
      expect(taken.flat().length).toBeGreaterThan(0);
    });
  });

  describe("recording results", () => {
    test("completes a delivery with its success", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents("1");
      await recordResult(await takeOne(), { verdict: "succeeded" });
      expect(await deliveriesOf(webhook)).toMatchObject([
        {
          status: "succeeded",
          attempts: [{ attemptedAtMs: world.nowMs, durationMs: 5, responseStatus: 200 }],
        },
      ]);
      expect((await deliveriesOf(webhook))[0]).not.toHaveProperty("nextAttemptAtMs");
    });

    test("plans a retry, which has the same event and body", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents("1");
      const first = await takeOne();
      await recordResult(first, { verdict: "retry", atMs: world.nowMs + 5000 });
      expect(await deliveriesOf(webhook)).toMatchObject([
        { status: "pending", nextAttemptAtMs: world.nowMs + 5000 },
      ]);
      expect(await take()).toEqual([]);
      world.nowMs += 5000;
      const second = await takeOne();
      expect(second).toEqual({ ...first, attempt: 2, webhook: { ...first.webhook, failing: true } });
      await recordResult(second, { verdict: "failed" });
      expect(await statuses(webhook)).toEqual(["failed"]);
    });

    test("returns tasks that were not attempted", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents("1");
      const task = await takeOne();
      await world.queue.exchange([{ task }], [], longAgo());
      expect(await takeOne()).toEqual(task);
      expect((await deliveriesOf(webhook))[0]?.attempts).toEqual([]);
    });
  });

  describe("workers", () => {
    test("free the tasks of a worker that missed its heartbeats, which then can record nothing", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents("1");
      const task = await takeOne();
      const heir = await world.fixture.join();
      await heir.heartbeat();
      for (let beat = 1; beat < world.fixture.maxMissedHeartbeats; beat++) await heir.heartbeat();
      expect(await take(1, heir)).toEqual([]);
      await heir.heartbeat();
      expect(await takeOne(heir)).toEqual(task);
      await recordResult(task, { verdict: "succeeded" });
      expect(await statuses(webhook)).toEqual(["pending"]);
      expect(await take(1, world.queue)).toEqual([]);
      expect(await world.queue.heartbeat()).toBe(false);
      expect(await world.queue.heartbeat()).toBe(true);
      await recordResult(task, { verdict: "retry", atMs: world.nowMs }, heir);
      expect(await takeOne(world.queue)).toMatchObject({ attempt: 2 });
    });

    test("keep a worker with heartbeats, however rare, and however far the clock jumps", async () => {
      await addWebhook();
      await world.fixture.addEvents("1");
      await takeOne();
      const other = await world.fixture.join();
      for (let turn = 0; turn < 4; turn++) {
        world.nowMs += (turn - 1) * dayMs;
        expect(await world.queue.heartbeat()).toBe(true);
        for (let beat = 0; beat < world.fixture.maxMissedHeartbeats; beat++) await other.heartbeat();
        expect(await take(1, other)).toEqual([]);
      }
    });

    test("return all tasks when they stop", async () => {
      await addWebhook();
      await world.fixture.addEvents("1");
      const task = await takeOne();
      await world.queue.leave();
      const other = await world.fixture.join();
      await other.heartbeat();
      expect(await takeOne(other)).toEqual(task);
    });
  });
}
