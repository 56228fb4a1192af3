import { type DeadLetters, maxFailures } from "@product-search/core/ports/dead-letters.ts";
import type { DeliveryTask } from "@product-search/core/ports/delivery-queue.ts";
import type { WebhookRecord } from "@product-search/core/ports/webhook-store.ts";
import { expect, test } from "vitest";
import { dayMs, hourMs, type OpenDeliveryQueue, useQueueWorld } from "./contract-world.ts";

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
