import { pino } from "pino";
import { expect, test } from "vitest";
import { createDeliveryMetrics } from "./delivery.ts";

const task = {
  key: 1,
  webhook: { key: 1, accountId: "acc", failing: false },
  url: "https://partner.example/",
  eventId: "ev_1",
  body: "{}",
  signingKeys: [],
  test: false,
  attempt: 1,
  failures: 0,
};
const attempt = { attemptedAtMs: 0, durationMs: 20 };

test("counts attempts by outcome, waiting deliveries, dead letters and database errors", async () => {
  const { registry, onAttempt, onError } = createDeliveryMetrics({
    webhookStore: { countPending: async () => 3 },
    deadLetters: { count: async () => ({ deliveries: 2, imports: 0, pictures: 0, products: 1 }) },
    inFlight: () => 4,
    logger: pino({ level: "silent" }),
  });
  onAttempt(task, { ...attempt, verdict: "succeeded" });
  onAttempt({ ...task, fault: "no key" }, { ...attempt, verdict: "unsent", atMs: 1 });
  onError(new Error("the disk is full"));
  const text = await registry.metrics();
  for (const line of [
    'product_search_webhook_attempts_total{outcome="succeeded"} 1',
    'product_search_webhook_attempts_total{outcome="unsent"} 1',
    "product_search_webhook_database_errors_total 1",
    "product_search_webhook_deliveries_waiting 3",
    "product_search_webhook_attempts_in_flight 4",
    'product_search_dead_letters{queue="deliveries"} 2',
    'product_search_dead_letters{queue="products"} 1',
  ])
    expect(text).toContain(line);
});
