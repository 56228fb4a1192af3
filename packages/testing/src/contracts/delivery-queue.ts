import type { DeliveryTask } from "@product-search/core/ports/webhooks.ts";
import { describe, expect, test } from "vitest";
import { describeEndings } from "./delivery-queue-letters.ts";
import { describeTaking } from "./delivery-queue-taking.ts";
import {
  dayMs,
  hourMs,
  type OpenDeliveryQueue,
  type QueueWorld,
  useQueueWorld,
} from "./delivery-queue-world.ts";

/** Tests for every delivery queue. */
export function describeDeliveryQueue(open: OpenDeliveryQueue): void {
  const world = useQueueWorld(open);
  const { addWebhook, reference, take, takeOne, recordResult } = world;
  describeTaking(world);
  describeFailures(world);
  describeEndings(world);

  test("counts only what can be delivered", async () => {
    const [deleted, disabled] = [await addWebhook(), await addWebhook()];
    await world.fixture.addEvents("1", "2");
    expect(await world.fixture.store.countPending()).toBe(4);
    await world.fixture.store.remove(reference(deleted));
    expect(await world.fixture.store.countPending()).toBe(2);
    await recordResult(await takeOne(), { verdict: "failed", gone: true });
    expect(await world.fixture.store.countPending()).toBe(0);
    await world.fixture.store.queueTest(reference(disabled), "test");
    expect(await world.fixture.store.countPending()).toBe(1);
  });

  test("brings forward attempts planned by a clock that was ahead", async () => {
    await addWebhook();
    world.nowMs += 365 * dayMs;
    await world.fixture.addEvents("1");
    world.nowMs -= 365 * dayMs;
    expect(await take()).toEqual([]);
    await world.queue.limitDueTimes(world.nowMs + hourMs);
    world.nowMs += hourMs;
    expect(await take()).toHaveLength(1);
  });
}

/** Failures of this service itself. */
function describeFailures(world: QueueWorld): void {
  const { addWebhook, reference, longAgo, take, takeOne, result, deliveriesOf } = world;

  describe("internal failures", () => {
    const internalFailure = (task: DeliveryTask) =>
      result(task, { verdict: "unsent", atMs: world.nowMs + 1000 }, { error: "no key" });

    test("a task with an unreadable key contains the reason; other tasks are not affected", async () => {
      const broken = await addWebhook("whsec_AAAA");
      await addWebhook("whsec_BBBB");
      await world.fixture.damageKey(broken.id);
      await world.fixture.addEvents("1");
      expect(await take()).toMatchObject([
        { signingKeys: [], fault: expect.stringMatching(/cannot be read/) },
        { signingKeys: ["whsec_BBBB"] },
      ]);
    });

    test("an unreadable former key is left out, so that a rotation repairs the webhook at once", async () => {
      const webhook = await addWebhook("whsec_OLD");
      await world.fixture.damageKey(webhook.id);
      const rotation = { formerUntilMs: world.nowMs + dayMs, maxKeys: 3 };
      await world.fixture.store.replaceKey(reference(webhook), "whsec_NEW", rotation);
      await world.fixture.addEvents("1");
      expect((await takeOne()).signingKeys).toEqual(["whsec_NEW"]);
    });

    test("are retried, and do not count as failures of the target", async () => {
      const webhook = await addWebhook();
      await world.fixture.addEvents("1");
      const first = await takeOne();
      await world.queue.exchange([internalFailure(first)], [], longAgo());
      expect(await take()).toEqual([]);
      world.nowMs += 1000;
      expect(await takeOne()).toEqual({ ...first, failures: 1 });
      expect(await deliveriesOf(webhook)).toMatchObject([
        { status: "pending", attempts: [{ error: "no key" }] },
      ]);
    });
  });
}
