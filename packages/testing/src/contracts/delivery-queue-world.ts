import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  DeliveryQueue,
  DeliveryRecord,
  DeliveryTask,
  TaskResult,
  Verdict,
  WebhookRecord,
  WebhookReference,
  WebhookStore,
} from "@product-search/core/ports/webhooks.ts";
import { afterEach, beforeEach } from "vitest";

export interface DeliveryQueueFixture {
  /** Another worker on the same database. */
  join(): Promise<DeliveryQueue>;
  /** How many of its own heartbeats a worker waits before it treats another one as dead. */
  maxMissedHeartbeats: number;
  store: WebhookStore;
  accountId: string;
  /** Queues events like changes of products. */
  addEvents(...bodies: string[]): Promise<void>;
  /** Makes the webhook's signing key unreadable. */
  damageKey(webhookId: string): Promise<void>;
  /** From now on no result with this error can be recorded, as if its row were damaged. */
  refuseOutcome(error: string): Promise<void>;
  /** The number of rows left that belong to events and deliveries. */
  countRows(): Promise<number>;
  close(): Promise<void>;
}

export const hourMs = 3_600_000;
const unlimited = { webhook: 1000, account: 1000 };
export const dayMs = 24 * hourMs;

export type OpenDeliveryQueue<More = object> = (clock: Clock) => Promise<DeliveryQueueFixture & More>;

/** A queue with one worker, created for each test, and the helpers of tests. */
export interface QueueWorld {
  /** The time, which tests set. */
  nowMs: number;
  readonly fixture: DeliveryQueueFixture;
  readonly queue: DeliveryQueue;
  addWebhook(key?: string): Promise<WebhookRecord>;
  reference(webhook: WebhookRecord): WebhookReference;
  /** This many different events. */
  bodies(count: number): string[];
  /** The time since which a webhook must have failed to be disabled. */
  longAgo(): number;
  take(count?: number, from?: DeliveryQueue): Promise<DeliveryTask[]>;
  takeOne(from?: DeliveryQueue): Promise<DeliveryTask>;
  result(task: DeliveryTask, verdict: Verdict, more?: { error?: string }): TaskResult;
  recordResult(task: DeliveryTask, verdict: Verdict, by?: DeliveryQueue): Promise<DeliveryTask[]>;
  /** Oldest first. */
  deliveriesOf(webhook: WebhookRecord): Promise<DeliveryRecord[]>;
  statuses(webhook: WebhookRecord): Promise<DeliveryRecord["status"][]>;
}

export function useQueueWorld(open: OpenDeliveryQueue): QueueWorld {
  const opened: { fixture?: DeliveryQueueFixture; queue?: DeliveryQueue } = {};
  const world: QueueWorld = {
    nowMs: 0,
    get fixture(): DeliveryQueueFixture {
      if (opened.fixture === undefined) throw new Error("The queue is opened for each test.");
      return opened.fixture;
    },
    get queue(): DeliveryQueue {
      if (opened.queue === undefined) throw new Error("The queue is opened for each test.");
      return opened.queue;
    },
    async addWebhook(key = "whsec_AAAA"): Promise<WebhookRecord> {
      const { accountId, store } = world.fixture;
      const url = "https://partner.example/hook";
      const webhook = await store.create({ accountId, url, type: "price.alert", key }, 100);
      if (webhook === undefined) throw new Error("The account is full.");
      return webhook;
    },
    reference: ({ accountId, id }: WebhookRecord) => ({ accountId, webhookId: id }),
    bodies: (count: number) => Array.from({ length: count }, (_, number) => String(number)),
    longAgo: () => world.nowMs - 5 * dayMs,
    async take(count = 100, from = world.queue): Promise<DeliveryTask[]> {
      const wanted = (await from.waiting()).map((webhook) => ({ webhook, count, room: unlimited }));
      return from.exchange([], wanted, world.longAgo());
    },
    async takeOne(from = world.queue): Promise<DeliveryTask> {
      const [task] = await world.take(1, from);
      if (task === undefined) throw new Error("Nothing is due.");
      return task;
    },
    result: (task: DeliveryTask, verdict: Verdict, more: { error?: string } = {}): TaskResult => ({
      task,
      attempt: { attemptedAtMs: world.nowMs, durationMs: 5, responseStatus: 200, ...more, ...verdict },
    }),
    recordResult: (task: DeliveryTask, verdict: Verdict, by = world.queue) =>
      by.exchange([world.result(task, verdict)], [], world.longAgo()),
    async deliveriesOf(webhook: WebhookRecord): Promise<DeliveryRecord[]> {
      const page = await world.fixture.store.listDeliveries(world.reference(webhook), { limit: 200 });
      return page?.deliveries.toReversed() ?? [];
    },
    statuses: async (webhook: WebhookRecord) =>
      (await world.deliveriesOf(webhook)).map(({ status }) => status),
  };
  beforeEach(async () => {
    world.nowMs = Date.UTC(2026, 4, 1);
    opened.fixture = await open({ now: () => world.nowMs });
    opened.queue = await opened.fixture.join();
    await opened.queue.heartbeat();
  });
  afterEach(() => opened.fixture?.close());
  return world;
}
