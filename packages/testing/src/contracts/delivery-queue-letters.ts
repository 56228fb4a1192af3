import {
  type DeadLetters,
  type DeliveryTask,
  maxFailures,
  type WebhookRecord,
} from "@product-search/core/ports/webhooks.ts";
import { describe, expect, test } from "vitest";
import {
  dayMs,
  hourMs,
  type OpenDeliveryQueue,
  type QueueWorld,
  useQueueWorld,
} from "./delivery-queue-world.ts";

/** Tests for delivery queues whose dead letters an operator can retry. */
export function describeDeadDeliveries(open: OpenDeliveryQueue<{ deadLetters: DeadLetters }>): void {
  let deadLetters: DeadLetters;
  const world = useQueueWorld(async (clock) => {
    const fixture = await open(clock);
    deadLetters = fixture.deadLetters;
    return fixture;
  });
  const { addWebhook, reference, longAgo, take, takeOne, result, recordResult, deliveriesOf, statuses } =
    world;
  const internalFailure = (task: DeliveryTask) =>
    result(task, { verdict: "unsent", atMs: world.nowMs + 1000 }, { error: "no key" });

  test("turn a delivery into a dead letter after five, and a retry queues it again", async () => {
    const webhook = await addWebhook();
    await world.fixture.addEvents("1");
    for (let failure = 0; failure < maxFailures; failure++) {
      await world.queue.exchange([internalFailure(await takeOne())], [], longAgo());
      world.nowMs += 1000;
    }
    expect(await take()).toEqual([]);
    expect(await statuses(webhook)).toEqual(["failed"]);
    const { letters } = await deadLetters.list({ limit: 10 });
    expect(letters).toMatchObject([{ queue: "deliveries", error: "no key", failures: maxFailures }]);
    expect(await deadLetters.count()).toMatchObject({ deliveries: 1 });
    expect(await deadLetters.retry(letters[0]?.id ?? "")).toBe("retried");
    expect(await deadLetters.count()).toMatchObject({ deliveries: 0 });
    const again = await takeOne();
    expect(again).toMatchObject({ body: "1", attempt: 1, failures: maxFailures });
    await recordResult(again, { verdict: "succeeded" });
    expect((await deliveriesOf(webhook))[0]?.attempts).toHaveLength(maxFailures + 1);
  });

  test("turn it into a dead letter again after five more", async () => {
    const webhook = await addWebhook();
    await deadLetterOf(webhook);
    const { letters } = await deadLetters.list({ limit: 1 });
    await deadLetters.retry(letters[0]?.id ?? "");
    for (let failure = 0; failure < maxFailures; failure++) {
      expect(await statuses(webhook)).toEqual(["pending"]);
      await world.queue.exchange([internalFailure(await takeOne())], [], longAgo());
      world.nowMs += 1000;
    }
    expect(await statuses(webhook)).toEqual(["failed"]);
    expect((await deadLetters.list({ limit: 10 })).letters).toMatchObject([{ failures: 2 * maxFailures }]);
    expect((await deliveriesOf(webhook))[0]?.attempts).toHaveLength(2 * maxFailures);
  });

  async function deadLetterOf(webhook: WebhookRecord): Promise<string> {
    await world.fixture.addEvents("1");
    for (let failure = 0; failure < maxFailures; failure++) {
      await world.queue.exchange([internalFailure(await takeOne())], [], longAgo());
      world.nowMs += 1000;
    }
    const { letters } = await deadLetters.list({ limit: 1 });
    expect(await statuses(webhook)).toEqual(["failed"]);
    return letters[0]?.id ?? "";
  }

  test("a dead letter of a disabled webhook waits until the webhook is enabled", async () => {
    const webhook = await addWebhook();
    const letter = await deadLetterOf(webhook);
    await world.fixture.addEvents("2", "3");
    await recordResult(await takeOne(), { verdict: "failed", gone: true });
    expect(await deadLetters.retry(letter)).toBe("disabled");
    await world.fixture.store.enable(reference(webhook));
    // Waiting deliveries are voided first.
    expect(await deadLetters.retry(letter)).toBe("disabled");
    expect(await take()).toEqual([]);
    expect(await deadLetters.retry(letter)).toBe("retried");
    expect((await take()).map(({ body }) => body)).toEqual(["1"]);
  });

  test("a dead letter of a deleted webhook is removed by its retry, or by the next purge", async () => {
    const webhook = await addWebhook();
    const letter = await deadLetterOf(webhook);
    await world.fixture.store.remove(reference(webhook));
    expect(await deadLetters.retry(letter)).toBe("obsolete");
    expect(await deadLetters.retry(letter)).toBe("absent");

    await deadLetterOf(await addWebhook());
    world.nowMs += 31 * dayMs;
    while (await world.queue.purge(world.nowMs - 30 * dayMs));
    expect(await deadLetters.list({ limit: 10 })).toEqual({ letters: [] });
  });

  test("a result that cannot be recorded does not block others", async () => {
    const webhook = await addWebhook();
    await world.fixture.refuseOutcome("poison");
    await world.fixture.addEvents("1", "2");
    for (let failure = 0; failure < maxFailures; failure++) {
      const tasks = await take(2);
      const results = tasks.map((task) =>
        task.body === "1"
          ? result(task, { verdict: "retry", atMs: world.nowMs }, { error: "poison" })
          : result(task, { verdict: "succeeded" }),
      );
      await world.queue.exchange(results, [], longAgo());
      expect((await statuses(webhook))[1]).toBe("succeeded");
      world.nowMs += hourMs;
    }
    expect(await statuses(webhook)).toEqual(["failed", "succeeded"]);
    expect((await deadLetters.list({ limit: 10 })).letters).toMatchObject([
      { error: expect.stringMatching(/could not be recorded/) },
    ]);
  });
}

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
