import type { DeliveryTask, TaskResult } from "@product-search/core/ports/delivery-queue.ts";
import { createSqliteDeliveryQueue } from "@product-search/stores/delivery-queue/sqlite.ts";
import { createWebhookFixture, round, type WebhookFixture } from "./fixture.ts";

const batch = 200;
const resultBatchSize = 500;

/** Bytes that events, their deliveries and one attempt each take in the database, besides the price history. */
export async function measureGrowth(events: number) {
  const products = Math.max(batch, events / 10);
  const [without, withWebhook] = [await createWebhookFixture(products), await createWebhookFixture(products)];
  await withWebhook.addWebhook("ok/0");
  const startedMs = performance.now();
  await changeAll(withWebhook, events);
  const perSecond = events / ((performance.now() - startedMs) / 1000);
  await changeAll(without, events);
  const history = without.storeBytes();
  const queued = withWebhook.storeBytes();
  await settleAll(withWebhook);
  const settled = withWebhook.storeBytes();
  await Promise.all([without.close(), withWebhook.close()]);
  return {
    events,
    bytesPerEvent: round((settled - history) / events),
    megabytesQueued: round((queued - history) / 1e6),
    megabytesSettled: round((settled - history) / 1e6),
    changesPerSecond: round(perSecond),
  };
}

const unlimited = { webhook: Infinity, account: Infinity };

async function changeAll(fixture: WebhookFixture, events: number): Promise<void> {
  for (let made = 0; made < events; made += batch) await fixture.change(Math.min(batch, events - made));
}

/** Records results like the delivery worker, but without sending. */
async function settleAll({ stores, countPending }: WebhookFixture): Promise<void> {
  const queue = createSqliteDeliveryQueue({ connection: stores.database.connection, ...stores });
  await queue.heartbeat();
  let results: TaskResult[] = [];
  const succeed = (task: DeliveryTask): TaskResult => ({
    task,
    attempt: { attemptedAtMs: Date.now(), durationMs: 20, responseStatus: 204, verdict: "succeeded" },
  });
  while (countPending() > 0) {
    const wanted = (await queue.waiting()).map((webhook) => ({
      webhook,
      count: resultBatchSize,
      room: unlimited,
    }));
    for (let rounds = 0; rounds < 100; rounds++) {
      results = (await queue.exchange(results, wanted, 0)).map(succeed);
      if (results.length === 0) break;
    }
  }
}
