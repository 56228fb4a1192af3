import { expect, test } from "vitest";
import { describeEndings } from "./contract-endings.ts";
import { describeFailures } from "./contract-failures.ts";
import { describeTaking } from "./contract-taking.ts";
import { dayMs, hourMs, type OpenDeliveryQueue, useQueueWorld } from "./contract-world.ts";

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
