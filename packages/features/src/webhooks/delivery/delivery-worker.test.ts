import { setTimeout } from "node:timers/promises";
import { OutboundError } from "@product-search/core/ports/outbound-http.ts";
import type { DeliveryQueue, DeliveryTask, WaitingWebhook } from "@product-search/core/ports/webhooks.ts";
import { describe, expect, it, test } from "vitest";
import {
  createSlots,
  defaultDeliveryWorkerSettings,
  type Slots,
  startDeliveryWorker,
} from "./delivery-worker.ts";

const webhookOf = (key: number): WaitingWebhook => ({ key, accountId: `acc_${key}`, failing: false });
const taskOf = (key: number): DeliveryTask => ({
  key,
  webhook: webhookOf(key),
  url: "https://partner.example/hook",
  eventId: `ev_${key}`,
  body: "{}",
  signingKeys: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  test: false,
  attempt: 1,
  failures: 0,
});

const full = () =>
  Promise.reject(Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" }));

/** A database that lends `count` tasks and then is full. The attempts end one after the other, 20 ms apart. */
function startOnFullDatabase(count: number, queue: Partial<DeliveryQueue> = {}) {
  const tasks = Array.from({ length: count }, (_, at) => taskOf(at + 1));
  let isFull = false;
  const recorded: number[] = [];
  const deliveryQueue: DeliveryQueue = {
    limitDueTimes: async () => {},
    purge: async () => false,
    heartbeat: async () => true,
    leave: async () => {},
    waiting: async () => (isFull ? [] : tasks.map(({ webhook }) => webhook)),
    async exchange(results) {
      if (isFull) return full();
      recorded.push(...results.map(({ task }) => task.key));
      isFull = results.length === 0;
      return isFull ? tasks : [];
    },
    ...queue,
  };
  const errors: unknown[] = [];
  let sent = 0;
  const webhookHttp = {
    async send() {
      sent += 1;
      await setTimeout(20 * sent);
      throw new OutboundError("connection", "Refused.");
    },
  };
  const worker = startDeliveryWorker(
    {
      deliveryQueue,
      webhookHttp,
      clock: { now: () => Date.now() },
      random: () => 0.5,
      onError: (error) => void errors.push(error),
    },
    { ...defaultDeliveryWorkerSettings, pollMs: 10 },
  );
  const mend = () => {
    isFull = false;
    deliveryQueue.exchange = async (results) => {
      recorded.push(...results.map(({ task }) => task.key));
      return [];
    };
  };
  return { worker, errors, recorded, mend };
}

it("pauses after an error of the database, whatever attempts end meanwhile", async () => {
  const { worker, errors, recorded, mend } = startOnFullDatabase(60);
  await setTimeout(900);
  expect(errors.length).toBeLessThanOrEqual(1);
  await setTimeout(900);
  // A pause is a second long, and each has one line in the log.
  expect(errors.length).toBeLessThanOrEqual(2);
  expect(errors.length).toBeGreaterThanOrEqual(1);
  mend();
  await worker.stop();
  expect(recorded.toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 60 }, (_, at) => at + 1),
  );
});

it("reports one error a pause when old data cannot be removed either", async () => {
  const { worker, errors, mend } = startOnFullDatabase(20, { purge: full });
  await setTimeout(600);
  expect(errors).toHaveLength(1);
  mend();
  await worker.stop();
});

it("stops during a pause at once", async () => {
  const { worker, errors, mend } = startOnFullDatabase(1);
  while (errors.length === 0) await setTimeout(5);
  mend();
  const stopping = worker.stop().then(() => "stopped");
  expect(await Promise.race([stopping, setTimeout(900, "paused")])).toBe("stopped");
});

const webhook = (key: number, accountId = `account ${key}`, failing = false): WaitingWebhook => ({
  key,
  accountId,
  failing,
});
const limits = { total: 10, perAccount: 6, perWebhook: 4, firstPerWebhook: 4 };
const share = (slots: Slots, ...waiting: WaitingWebhook[]) => slots.share(waiting, 100);
const counts = (shares: { webhook: WaitingWebhook; count: number }[]) =>
  Object.fromEntries(shares.map((share) => [share.webhook.key, share.count]));

describe("slots", () => {
  test("are shared equally, within the limit of each webhook", () => {
    expect(counts(share(createSlots(limits), webhook(1), webhook(2)))).toEqual({ 1: 4, 2: 4 });
    expect(counts(share(createSlots(limits), ...[1, 2, 3, 4, 5].map((key) => webhook(key))))).toEqual({
      1: 2,
      2: 2,
      3: 2,
      4: 2,
      5: 2,
    });
  });

  test("are not more than requested", () => {
    const shares = createSlots(limits).share([webhook(1), webhook(2)], 3);
    expect(counts(shares)).toEqual({ 1: 1, 2: 1 });
  });

  test("rotate: a webhook that got none is first next time", () => {
    const slots = createSlots({ ...limits, total: 2 });
    const waiting = [1, 2, 3, 4, 5].map((key) => webhook(key));
    const served = [1, 2, 3, 4, 5].map(() => Object.keys(counts(share(slots, ...waiting))).map(Number));
    expect(served).toEqual([
      [1, 2],
      [3, 4],
      [1, 5],
      [2, 3],
      [4, 5],
    ]);
  });

  test("are limited by account, over all its webhooks", () => {
    const slots = createSlots(limits);
    const waiting = [webhook(1, "a"), webhook(2, "a"), webhook(3, "b")];
    for (let slot = 0; slot < 4; slot++) slots.occupy(webhook(1, "a"));
    expect(counts(share(slots, ...waiting))).toEqual({ 2: 2, 3: 2 });
  });

  test("allow a failing webhook one attempt at a time", () => {
    const slots = createSlots(limits);
    expect(counts(share(slots, webhook(1, "a", true)))).toEqual({ 1: 1 });
    slots.occupy(webhook(1, "a"));
    expect(share(slots, webhook(1, "a", true))).toEqual([]);
  });

  test("increase by one per success up to the limit, and drop to one after a failure", () => {
    const slots = createSlots({ ...limits, firstPerWebhook: 1 });
    const attempt = (isSuccess: boolean) => {
      slots.occupy(webhook(1));
      slots.free(webhook(1), isSuccess);
      return counts(share(slots, webhook(1)))[1];
    };
    expect([true, true, true, true, true, false].map(attempt)).toEqual([2, 3, 4, 4, 4, 1]);
  });

  test("are free again afterwards", () => {
    const slots = createSlots({ ...limits, total: 1 });
    slots.occupy(webhook(1));
    expect(share(slots, webhook(2))).toEqual([]);
    slots.free(webhook(1), true);
    expect(slots.occupied()).toBe(0);
    expect(counts(share(slots, webhook(2)))).toEqual({ 2: 1 });
  });
});
