import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "../../ports/clock.ts";
import { type DeadLetters, mostFailures } from "../../ports/dead-letters.ts";
import type { DeliveryQueue, DeliveryTask, TaskResult, Verdict } from "../../ports/delivery-queue.ts";
import type { DeliveryRecord, WebhookRecord, WebhookStore } from "../../ports/webhook-store.ts";

export interface DeliveryQueueFixture {
  /** One more worker on the same store. */
  join(): Promise<DeliveryQueue>;
  /** How many times a worker counts up before it takes a silent one for dead. */
  silentBeats: number;
  store: WebhookStore;
  accountId: string;
  /** Queues events as changes of products do. */
  addEvents(...bodies: string[]): Promise<void>;
  /** Makes the webhook's signing key unreadable. */
  damageKey(webhookId: string): Promise<void>;
  /** From now on no outcome with this error can be recorded, as if its row were damaged. */
  refuseOutcome(error: string): Promise<void>;
  deadLetters: DeadLetters;
  /** How many rows are left of anything that belongs to events and deliveries. */
  countRows(): Promise<number>;
  close(): Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What every delivery queue promises. */
export function describeDeliveryQueue(open: (clock: Clock) => Promise<DeliveryQueueFixture>): void {
  let fixture: DeliveryQueueFixture;
  let queue: DeliveryQueue;
  let nowMs: number;

  beforeEach(async () => {
    nowMs = Date.UTC(2026, 4, 1);
    fixture = await open({ now: () => nowMs });
    queue = await fixture.join();
    await queue.keepAlive();
  });
  afterEach(() => fixture.close());

  async function addWebhook(key = "whsec_AAAA"): Promise<WebhookRecord> {
    const { accountId, store } = fixture;
    const url = "https://partner.example/hook";
    const webhook = await store.create({ accountId, url, type: "price.alert", key }, 100);
    if (webhook === undefined) throw new Error("The account is full.");
    return webhook;
  }
  const reference = ({ accountId, id }: WebhookRecord) => ({ accountId, webhookId: id });
  const bodies = (count: number) => Array.from({ length: count }, (_, number) => String(number));
  const longAgo = () => nowMs - 5 * dayMs;

  async function take(count = 100, from = queue): Promise<DeliveryTask[]> {
    const wanted = (await from.waiting()).map((webhook) => ({ webhook, count }));
    return from.exchange([], wanted, longAgo());
  }
  async function takeOne(from = queue): Promise<DeliveryTask> {
    const [task] = await take(1, from);
    if (task === undefined) throw new Error("Nothing is due.");
    return task;
  }
  const result = (task: DeliveryTask, verdict: Verdict, more: { error?: string } = {}): TaskResult => ({
    task,
    attempt: { attemptedAtMs: nowMs, durationMs: 5, responseStatus: 200, ...more, ...verdict },
  });
  const settle = (task: DeliveryTask, verdict: Verdict, by = queue) =>
    by.exchange([result(task, verdict)], [], longAgo());
  async function deliveriesOf(webhook: WebhookRecord): Promise<DeliveryRecord[]> {
    const page = await fixture.store.listDeliveries(reference(webhook), { limit: 200 });
    return page?.deliveries.toReversed() ?? [];
  }
  const statuses = async (webhook: WebhookRecord) =>
    (await deliveriesOf(webhook)).map(({ status }) => status);

  describe("taking", () => {
    test("gives everything that an attempt needs", async () => {
      const { accountId } = await addWebhook("whsec_AAAA");
      await fixture.addEvents('{"n":1}');
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

    test("gives each delivery once, oldest first, as many as asked", async () => {
      await addWebhook();
      await addWebhook();
      for (let event = 0; event < 5; event++) {
        await fixture.addEvents(String(event));
        nowMs += 1;
      }
      const first = await take(3);
      expect(first.map(({ body }) => body)).toEqual(["0", "1", "2", "0", "1", "2"]);
      const second = await take(3);
      expect(second.map(({ body }) => body)).toEqual(["3", "4", "3", "4"]);
      expect(await queue.waiting()).toEqual([]);
      expect(await take()).toEqual([]);
    });

    test("never gives two workers the same", async () => {
      await addWebhook();
      await fixture.addEvents(...bodies(30));
      const workers = [queue, await fixture.join(), await fixture.join()];
      const taken: DeliveryTask[] = [];
      for (const worker of workers) await worker.keepAlive();
      for (let turn = 0; turn < 12; turn++) {
        for (const worker of workers) taken.push(...(await take(1, worker)));
      }
      expect(taken).toHaveLength(30);
      expect(new Set(taken.map(({ key }) => key)).size).toBe(30);
    });

    const rotate = (webhook: WebhookRecord, key: string, revokeFormer = false) =>
      fixture.store.replaceKey(reference(webhook), key, {
        formerUntilMs: nowMs + dayMs,
        mostKeys: 3,
        revokeFormer,
      });

    test("signs with both keys for a while after a rotation", async () => {
      const webhook = await addWebhook("whsec_OLD");
      await rotate(webhook, "whsec_NEW");
      await fixture.addEvents("1", "2");
      expect((await takeOne()).signingKeys).toEqual(["whsec_NEW", "whsec_OLD"]);
      nowMs += dayMs;
      expect((await takeOne()).signingKeys).toEqual(["whsec_NEW"]);
    });

    test("signs with each former key for a time of its own, and with three keys at most", async () => {
      const webhook = await addWebhook("whsec_1");
      await fixture.addEvents(...bodies(5));
      const oldestUntilMs = nowMs + dayMs;
      await rotate(webhook, "whsec_2");
      nowMs += hourMs;
      expect(await rotate(webhook, "whsec_3")).toEqual({ rotated: webhook });
      expect((await takeOne()).signingKeys).toEqual(["whsec_3", "whsec_2", "whsec_1"]);
      expect(await rotate(webhook, "whsec_4")).toEqual({ oldestUntilMs });
      expect((await takeOne()).signingKeys).toEqual(["whsec_3", "whsec_2", "whsec_1"]);
      nowMs = oldestUntilMs;
      expect((await takeOne()).signingKeys).toEqual(["whsec_3", "whsec_2"]);
      expect(await rotate(webhook, "whsec_4")).toEqual({ rotated: webhook });
      expect((await takeOne()).signingKeys).toEqual(["whsec_4", "whsec_3", "whsec_2"]);
      expect(await rotate(webhook, "whsec_5", true)).toEqual({ rotated: webhook });
      expect((await takeOne()).signingKeys).toEqual(["whsec_5"]);
    });

    test("gives nothing to a worker that never said that it lives", async () => {
      await addWebhook();
      await fixture.addEvents("1");
      expect(await take(1, await fixture.join())).toEqual([]);
    });
  });

  describe("settling", () => {
    test("ends a delivery with its success", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents("1");
      await settle(await takeOne(), { verdict: "succeeded" });
      expect(await deliveriesOf(webhook)).toMatchObject([
        { status: "succeeded", attempts: [{ attemptedAtMs: nowMs, durationMs: 5, responseStatus: 200 }] },
      ]);
      expect((await deliveriesOf(webhook))[0]).not.toHaveProperty("nextAttemptAtMs");
    });

    test("plans a retry, which has the same event and body", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents("1");
      const first = await takeOne();
      await settle(first, { verdict: "retry", atMs: nowMs + 5000 });
      expect(await deliveriesOf(webhook)).toMatchObject([
        { status: "pending", nextAttemptAtMs: nowMs + 5000 },
      ]);
      expect(await take()).toEqual([]);
      nowMs += 5000;
      const second = await takeOne();
      expect(second).toEqual({ ...first, attempt: 2, webhook: { ...first.webhook, failing: true } });
      await settle(second, { verdict: "failed" });
      expect(await statuses(webhook)).toEqual(["failed"]);
    });

    test("gives back what was not attempted", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents("1");
      const task = await takeOne();
      await queue.exchange([{ task }], [], longAgo());
      expect(await takeOne()).toEqual(task);
      expect((await deliveriesOf(webhook))[0]?.attempts).toEqual([]);
    });
  });

  describe("faults of ours", () => {
    const unsent = (task: DeliveryTask) =>
      result(task, { verdict: "unsent", atMs: nowMs + 1000 }, { error: "no key" });

    test("an unreadable key is told with the task; others' tasks have theirs", async () => {
      const broken = await addWebhook("whsec_AAAA");
      await addWebhook("whsec_BBBB");
      await fixture.damageKey(broken.id);
      await fixture.addEvents("1");
      expect(await take()).toMatchObject([
        { signingKeys: [], fault: expect.stringMatching(/cannot be read/) },
        { signingKeys: ["whsec_BBBB"] },
      ]);
    });

    test("an unreadable former key is left out: a rotation repairs the webhook at once", async () => {
      const webhook = await addWebhook("whsec_OLD");
      await fixture.damageKey(webhook.id);
      const rotation = { formerUntilMs: nowMs + dayMs, mostKeys: 3 };
      await fixture.store.replaceKey(reference(webhook), "whsec_NEW", rotation);
      await fixture.addEvents("1");
      expect((await takeOne()).signingKeys).toEqual(["whsec_NEW"]);
    });

    test("are tried again, and are no failure of the target", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents("1");
      const first = await takeOne();
      await queue.exchange([unsent(first)], [], longAgo());
      expect(await take()).toEqual([]);
      nowMs += 1000;
      expect(await takeOne()).toEqual({ ...first, failures: 1 });
      expect(await deliveriesOf(webhook)).toMatchObject([
        { status: "pending", attempts: [{ error: "no key" }] },
      ]);
    });

    test("make a dead letter of a delivery after five, which a retry brings back", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents("1");
      for (let failure = 0; failure < mostFailures; failure++) {
        await queue.exchange([unsent(await takeOne())], [], longAgo());
        nowMs += 1000;
      }
      expect(await take()).toEqual([]);
      expect(await statuses(webhook)).toEqual(["failed"]);
      const { letters } = await fixture.deadLetters.list({ limit: 10 });
      expect(letters).toMatchObject([{ queue: "deliveries", error: "no key", failures: mostFailures }]);
      expect(await fixture.deadLetters.count()).toMatchObject({ deliveries: 1 });
      expect(await fixture.deadLetters.retry(letters[0]?.id ?? "")).toBe("retried");
      expect(await fixture.deadLetters.count()).toMatchObject({ deliveries: 0 });
      const again = await takeOne();
      expect(again).toMatchObject({ body: "1", attempt: 1, failures: mostFailures });
      await settle(again, { verdict: "succeeded" });
      expect((await deliveriesOf(webhook))[0]?.attempts).toHaveLength(mostFailures + 1);
    });

    test("make a dead letter again after five more", async () => {
      const webhook = await addWebhook();
      await deadLetterOf(webhook);
      const { letters } = await fixture.deadLetters.list({ limit: 1 });
      await fixture.deadLetters.retry(letters[0]?.id ?? "");
      for (let failure = 0; failure < mostFailures; failure++) {
        expect(await statuses(webhook)).toEqual(["pending"]);
        await queue.exchange([unsent(await takeOne())], [], longAgo());
        nowMs += 1000;
      }
      expect(await statuses(webhook)).toEqual(["failed"]);
      expect((await fixture.deadLetters.list({ limit: 10 })).letters).toMatchObject([
        { failures: 2 * mostFailures },
      ]);
      expect((await deliveriesOf(webhook))[0]?.attempts).toHaveLength(2 * mostFailures);
    });

    async function deadLetterOf(webhook: WebhookRecord): Promise<string> {
      await fixture.addEvents("1");
      for (let failure = 0; failure < mostFailures; failure++) {
        await queue.exchange([unsent(await takeOne())], [], longAgo());
        nowMs += 1000;
      }
      const { letters } = await fixture.deadLetters.list({ limit: 1 });
      expect(await statuses(webhook)).toEqual(["failed"]);
      return letters[0]?.id ?? "";
    }

    test("a dead letter of a disabled webhook waits until that is enabled", async () => {
      const webhook = await addWebhook();
      const letter = await deadLetterOf(webhook);
      await fixture.addEvents("2", "3");
      await settle(await takeOne(), { verdict: "failed", gone: true });
      expect(await fixture.deadLetters.retry(letter)).toBe("disabled");
      await fixture.store.enable(reference(webhook));
      // What waited is given up first.
      expect(await fixture.deadLetters.retry(letter)).toBe("disabled");
      expect(await take()).toEqual([]);
      expect(await fixture.deadLetters.retry(letter)).toBe("retried");
      expect((await take()).map(({ body }) => body)).toEqual(["1"]);
    });

    test("a dead letter of a deleted webhook goes with its retry, or with the next cleaning", async () => {
      const webhook = await addWebhook();
      const letter = await deadLetterOf(webhook);
      await fixture.store.remove(reference(webhook));
      expect(await fixture.deadLetters.retry(letter)).toBe("obsolete");
      expect(await fixture.deadLetters.retry(letter)).toBe("absent");

      await deadLetterOf(await addWebhook());
      nowMs += 31 * dayMs;
      while (await queue.clean(nowMs - 30 * dayMs));
      expect(await fixture.deadLetters.list({ limit: 10 })).toEqual({ letters: [] });
    });

    test("an outcome that cannot be recorded does not hold up those beside it", async () => {
      const webhook = await addWebhook();
      await fixture.refuseOutcome("poison");
      await fixture.addEvents("1", "2");
      for (let failure = 0; failure < mostFailures; failure++) {
        const tasks = await take(2);
        const results = tasks.map((task) =>
          task.body === "1"
            ? result(task, { verdict: "retry", atMs: nowMs }, { error: "poison" })
            : result(task, { verdict: "succeeded" }),
        );
        await queue.exchange(results, [], longAgo());
        expect((await statuses(webhook))[1]).toBe("succeeded");
        nowMs += hourMs;
      }
      expect(await statuses(webhook)).toEqual(["failed", "succeeded"]);
      expect((await fixture.deadLetters.list({ limit: 10 })).letters).toMatchObject([
        { error: expect.stringMatching(/could not be recorded/) },
      ]);
    });
  });

  test("counts only what can be delivered", async () => {
    const [deleted, disabled] = [await addWebhook(), await addWebhook()];
    await fixture.addEvents("1", "2");
    expect(await fixture.store.countPending()).toBe(4);
    await fixture.store.remove(reference(deleted));
    expect(await fixture.store.countPending()).toBe(2);
    await settle(await takeOne(), { verdict: "failed", gone: true });
    expect(await fixture.store.countPending()).toBe(0);
    await fixture.store.queueTest(reference(disabled), "test");
    expect(await fixture.store.countPending()).toBe(1);
  });

  describe("disabling", () => {
    test("happens at once when the target is gone, and gives up what waits or is under way", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents("1", "2", "3");
      const [first, second] = await take(2);
      if (!first || !second) throw new Error("Nothing is due.");
      await settle(first, { verdict: "failed", gone: true });
      expect(await fixture.store.find(reference(webhook))).toMatchObject({
        disabled: { atMs: nowMs, reason: "gone" },
      });
      expect(await statuses(webhook)).toEqual(["failed", "failed", "failed"]);
      expect(await take()).toEqual([]);
      await settle(second, { verdict: "retry", atMs: nowMs + 1 });
      nowMs += 10;
      await fixture.store.enable(reference(webhook));
      expect(await take()).toEqual([]);
      expect(await statuses(webhook)).toEqual(["failed", "failed", "failed"]);
    });

    test("stops new events, and enabling starts them again", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents("1");
      await settle(await takeOne(), { verdict: "failed", gone: true });
      await fixture.addEvents("2");
      expect(await take()).toEqual([]);
      expect(await fixture.store.enable(reference(webhook))).not.toHaveProperty("disabled");
      await fixture.addEvents("3");
      expect((await take()).map(({ body }) => body)).toEqual(["3"]);
    });

    test("leaves tests and replays possible", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents("1");
      await settle(await takeOne(), { verdict: "failed", gone: true });
      const [original] = await deliveriesOf(webhook);
      await fixture.store.queueReplay(reference(webhook), original?.id ?? "");
      await fixture.store.queueTest(reference(webhook), "test");
      expect((await take()).map(({ body, test: isTest }) => [body, isTest])).toEqual([
        ["1", false],
        ["test", true],
      ]);
    });

    test("comes after five days without a success, not before", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents(...bodies(4));
      const fail = async () => settle(await takeOne(), { verdict: "failed" });
      await fail();
      nowMs += 5 * dayMs - 1;
      await fail();
      expect(await fixture.store.find(reference(webhook))).not.toHaveProperty("disabled");
      nowMs += 1;
      await fail();
      expect(await fixture.store.find(reference(webhook))).toMatchObject({ disabled: { reason: "failing" } });
      expect(await statuses(webhook)).toEqual(["failed", "failed", "failed", "failed"]);
    });

    test("counts from the first failure after the last success", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents(...bodies(3));
      await settle(await takeOne(), { verdict: "failed" });
      nowMs += 4 * dayMs;
      await settle(await takeOne(), { verdict: "succeeded" });
      nowMs += 4 * dayMs;
      await settle(await takeOne(), { verdict: "failed" });
      expect(await fixture.store.find(reference(webhook))).not.toHaveProperty("disabled");
    });

    test("never comes from tests", async () => {
      const webhook = await addWebhook();
      for (const verdict of [{ verdict: "failed", gone: true }, { verdict: "failed" }] as const) {
        await fixture.store.queueTest(reference(webhook), "{}");
        await settle(await takeOne(), verdict);
        nowMs += 6 * dayMs;
      }
      expect(await fixture.store.find(reference(webhook))).not.toHaveProperty("disabled");
    });

    test("gives up any number of waiting deliveries, a bit at a time", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents(...bodies(450));
      await settle(await takeOne(), { verdict: "failed", gone: true });
      await fixture.store.enable(reference(webhook));
      await fixture.addEvents("after");
      for (let turn = 0; turn < 4; turn++) {
        for (const task of await take(1)) {
          expect(task.body).toBe("after");
          await settle(task, { verdict: "succeeded" });
        }
      }
      expect(await queue.waiting()).toEqual([]);
    });
  });

  describe("deleting", () => {
    test("stops retries and what waits, also under way", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents("1", "2");
      const task = await takeOne();
      await fixture.store.remove(reference(webhook));
      expect(await take()).toEqual([]);
      await settle(task, { verdict: "retry", atMs: nowMs + 1 });
      nowMs += hourMs;
      expect(await take()).toEqual([]);
      expect(await queue.waiting()).toEqual([]);
    });
  });

  describe("workers", () => {
    test("free what a silent one had taken, which then can settle nothing", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents("1");
      const task = await takeOne();
      const heir = await fixture.join();
      await heir.keepAlive();
      for (let beat = 1; beat < fixture.silentBeats; beat++) await heir.keepAlive();
      expect(await take(1, heir)).toEqual([]);
      await heir.keepAlive();
      expect(await takeOne(heir)).toEqual(task);
      await settle(task, { verdict: "succeeded" });
      expect(await statuses(webhook)).toEqual(["pending"]);
      expect(await take(1, queue)).toEqual([]);
      expect(await queue.keepAlive()).toBe(false);
      expect(await queue.keepAlive()).toBe(true);
      await settle(task, { verdict: "retry", atMs: nowMs }, heir);
      expect(await takeOne(queue)).toMatchObject({ attempt: 2 });
    });

    test("leave alone whoever counts on, however seldom and however far the clock jumps", async () => {
      await addWebhook();
      await fixture.addEvents("1");
      await takeOne();
      const other = await fixture.join();
      for (let turn = 0; turn < 4; turn++) {
        nowMs += (turn - 1) * dayMs;
        expect(await queue.keepAlive()).toBe(true);
        for (let beat = 0; beat < fixture.silentBeats; beat++) await other.keepAlive();
        expect(await take(1, other)).toEqual([]);
      }
    });

    test("give everything back when they leave", async () => {
      await addWebhook();
      await fixture.addEvents("1");
      const task = await takeOne();
      await queue.leave();
      const other = await fixture.join();
      await other.keepAlive();
      expect(await takeOne(other)).toEqual(task);
    });
  });

  test("brings forward what was planned by a clock that was ahead", async () => {
    await addWebhook();
    nowMs += 365 * dayMs;
    await fixture.addEvents("1");
    nowMs -= 365 * dayMs;
    expect(await take()).toEqual([]);
    await queue.limitWaiting(nowMs + hourMs);
    nowMs += hourMs;
    expect(await take()).toHaveLength(1);
  });

  describe("cleaning", () => {
    const cleanAll = async (beforeMs: number) => {
      while (await queue.clean(beforeMs));
    };

    test("removes what is old and nothing else", async () => {
      const webhook = await addWebhook();
      for (const body of ["old", "new"]) {
        await fixture.addEvents(body);
        await settle(await takeOne(), { verdict: "succeeded" });
        nowMs += 20 * dayMs;
      }
      const rows = await fixture.countRows();
      await cleanAll(nowMs - 50 * dayMs);
      expect(await fixture.countRows()).toBe(rows);
      await cleanAll(nowMs - 30 * dayMs);
      expect(await deliveriesOf(webhook)).toHaveLength(1);
      expect(await fixture.countRows()).toBe(rows / 2);
    });

    test("keeps the event of a replay as long as the replay", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents("1");
      await settle(await takeOne(), { verdict: "succeeded" });
      const [original] = await deliveriesOf(webhook);
      nowMs += 29 * dayMs;
      await fixture.store.queueReplay(reference(webhook), original?.id ?? "");
      nowMs += 2 * dayMs;
      await cleanAll(nowMs - 30 * dayMs);
      expect(await take()).toMatchObject([{ body: "1" }]);
    });

    test("removes all that belonged to a deleted webhook, once nothing of it is under way", async () => {
      const webhook = await addWebhook();
      await fixture.addEvents(...bodies(450));
      const task = await takeOne();
      await fixture.store.remove(reference(webhook));
      await cleanAll(nowMs + 1);
      // The one under way and its event.
      expect(await fixture.countRows()).toBe(2);
      await settle(task, { verdict: "succeeded" });
      await cleanAll(nowMs + 1);
      expect(await fixture.countRows()).toBe(0);
    });
  });
}
