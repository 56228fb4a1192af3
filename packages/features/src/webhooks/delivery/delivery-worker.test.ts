import { setTimeout } from "node:timers/promises";
import type {
  DeliveryQueue,
  DeliveryTask,
  WaitingWebhook,
} from "@product-search/core/ports/delivery-queue.ts";
import { OutboundError } from "@product-search/core/ports/outbound-http.ts";
import { expect, it } from "vitest";
import { defaultDeliveryWorkerSettings, startDeliveryWorker } from "./delivery-worker.ts";

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
  const stoppedAtMs = performance.now();
  await worker.stop();
  expect(performance.now() - stoppedAtMs).toBeLessThan(500);
});
