import type { DeadLetters, WebhookStore } from "@product-search/core/ports/webhooks.ts";
import type { Logger } from "pino";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { composeCleanup } from "../../compose/clean-up.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import { composeDelivery, type DeliveryObserver } from "../../compose/webhooks.ts";
import type { Run } from "../role.ts";

/** Delivers webhooks, and purges what has expired. It has its own thread, so that it does not slow down responses. */
export const runDelivery: Run = async ({ config, bus, logger }) => {
  const stores = await composeStores(config);
  const metrics = createDeliveryMetrics({ ...stores, inFlight: () => delivering.inFlight(), logger });
  const delivering = composeDelivery(config, stores, metrics);
  const cleaning = composeCleanup(config, stores, (error) =>
    logger.warn({ err: error }, "expired data was not removed"),
  );
  bus.replyToPoll("metrics", async () => metrics.registry.getMetricsAsJSON());
  return {
    async stop() {
      await cleaning.stop();
      await delivering.stop();
      await stores.close();
    },
  };
};

interface DeliveryMetricsSources {
  webhookStore: Pick<WebhookStore, "countPending">;
  deadLetters: Pick<DeadLetters, "count">;
  inFlight(): number;
  logger: Logger;
}

interface DeliveryMetrics extends Required<DeliveryObserver> {
  registry: Registry;
}

/** Counts and logs the outcomes of deliveries. */
export function createDeliveryMetrics(sources: DeliveryMetricsSources): DeliveryMetrics {
  const { logger } = sources;
  const registry = new Registry();
  const registers = [registry];
  const attempts = new Counter({
    name: "product_search_webhook_attempts_total",
    help: "Attempts to deliver a webhook, by what came of them.",
    labelNames: ["outcome"],
    registers,
  });
  // A counter that begins at 1 has not grown, as far as an alert can tell.
  for (const outcome of ["succeeded", "retry", "failed", "unsent"]) attempts.inc({ outcome }, 0);
  const seconds = new Histogram({
    name: "product_search_webhook_attempt_seconds",
    help: "How long targets took to answer.",
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
    registers,
  });
  const faults = new Counter({
    name: "product_search_webhook_database_errors_total",
    help: "Errors of the database that held up the delivery of all webhooks.",
    registers,
  });
  addGauges(registry, sources);
  return {
    registry,
    onError(error) {
      faults.inc();
      logger.error({ err: error }, "the delivery of webhooks was held up");
    },
    onAttempt(task, { verdict, durationMs, responseStatus, error }) {
      attempts.inc({ outcome: verdict });
      seconds.observe(durationMs / 1000);
      if (verdict === "succeeded") return;
      const { eventId, attempt, webhook } = task;
      const about = { eventId, attempt, account: webhook.accountId, responseStatus, error };
      if (task.fault === undefined) logger.info(about, "a delivery failed");
      else logger.warn(about, "a delivery could not be sent");
    },
  };
}

function addGauges(
  registry: Registry,
  { webhookStore, deadLetters, inFlight }: DeliveryMetricsSources,
): void {
  const registers = [registry];
  new Gauge({
    name: "product_search_webhook_deliveries_waiting",
    help: "Deliveries that wait for an attempt, retries included; none of deleted or disabled webhooks.",
    registers,
    async collect() {
      this.set(await webhookStore.countPending());
    },
  });
  new Gauge({
    name: "product_search_webhook_attempts_in_flight",
    help: "Attempts under way.",
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  new Gauge({
    name: "product_search_dead_letters",
    help: "Items that this service could not process, by queue. `api dead-letters` lists and retries them.",
    labelNames: ["queue"],
    registers,
    async collect() {
      for (const [queue, letters] of Object.entries(await deadLetters.count())) this.set({ queue }, letters);
    },
  });
}
