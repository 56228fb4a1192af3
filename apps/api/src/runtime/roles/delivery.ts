import { composeStores } from "../../compose/stores.ts";
import { composeDelivery } from "../../compose/webhooks.ts";
import type { Run } from "../role.ts";
import { createDeliveryMetrics } from "./delivery-metrics.ts";

const forgetEveryMs = 3600 * 1000;

/** Delivers webhooks. A thread of its own, so that neither its waiting nor its work slows any answer down. */
export const runDelivery: Run = async ({ config, bus, logger }) => {
  const stores = await composeStores(config);
  const metrics = createDeliveryMetrics({ ...stores, inFlight: () => delivering.inFlight(), logger });
  const delivering = composeDelivery(config, stores, metrics);
  // Answers kept for `Idempotency-Key` go when their day is over; of the operations that keep any, all are about webhooks.
  const forgetting = setInterval(() => {
    stores.idempotencyStore
      .removeExpired()
      .catch((error: unknown) => logger.warn({ err: error }, "stored answers were not removed"));
  }, forgetEveryMs);
  bus.replyToPoll("metrics", async () => metrics.registry.getMetricsAsJSON());
  return {
    async stop() {
      clearInterval(forgetting);
      await delivering.stop();
      await stores.close();
    },
  };
};
