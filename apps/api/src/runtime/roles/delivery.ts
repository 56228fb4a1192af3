import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { composeStores } from "../../compose/stores.ts";
import { composeDelivery } from "../../compose/webhooks.ts";
import type { Run } from "../role.ts";

const forgetEveryMs = 3600 * 1000;

/** Delivers webhooks. A thread of its own, so that neither its waiting nor its work slows any answer down. */
export const runDelivery: Run = async ({ config, bus, logger }) => {
  const stores = await composeStores(config);
  const registry = new Registry();
  const registers = [registry];
  const attempts = new Counter({
    name: "webhook_attempts_total",
    help: "Attempts to deliver a webhook, by what came of them.",
    labelNames: ["outcome"],
    registers,
  });
  const seconds = new Histogram({
    name: "webhook_attempt_seconds",
    help: "How long targets took to answer.",
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
    registers,
  });
  new Gauge({
    name: "webhook_deliveries_waiting",
    help: "Deliveries that wait for an attempt, retries included; none of deleted or disabled webhooks.",
    registers,
    async collect() {
      this.set(await stores.webhookStore.countPending());
    },
  });
  new Gauge({
    name: "webhook_attempts_in_flight",
    help: "Attempts under way.",
    registers,
    collect() {
      this.set(delivering.inFlight());
    },
  });
  new Gauge({
    name: "dead_letters",
    help: "Items that were given up after five failures of this service, by queue. `api dead-letters` lists and retries them.",
    labelNames: ["queue"],
    registers,
    async collect() {
      for (const [queue, letters] of Object.entries(await stores.deadLetters.count())) {
        this.set({ queue }, letters);
      }
    },
  });
  const delivering = composeDelivery(config, stores, {
    onFault: (error) => logger.error({ err: error }, "the delivery of webhooks was held up"),
    onAttempt(task, { verdict, durationMs, responseStatus, error }) {
      attempts.inc({ outcome: verdict });
      seconds.observe(durationMs / 1000);
      if (verdict === "succeeded") return;
      const { eventId, attempt, webhook } = task;
      const about = { eventId, attempt, account: webhook.accountId, responseStatus, error };
      if (task.fault === undefined) logger.info(about, "a delivery failed");
      else logger.warn(about, "a delivery could not be sent");
    },
  });
  // Answers kept for `Idempotency-Key` go when their day is over; of the operations that keep any, all are about webhooks.
  const forgetting = setInterval(() => {
    stores.idempotencyStore
      .removeExpired()
      .catch((error: unknown) => logger.warn({ err: error }, "stored answers were not removed"));
  }, forgetEveryMs);
  bus.replyToPoll("metrics", async () => registry.getMetricsAsJSON());
  return {
    async stop() {
      clearInterval(forgetting);
      await delivering.stop();
      await stores.close();
    },
  };
};
