import { composeStores } from "../../compose/stores.ts";
import { composeDelivery } from "../../compose/webhooks.ts";
import type { Run } from "../role.ts";
import { createDeliveryMetrics } from "./delivery-metrics.ts";

const forgetEveryMs = 3600 * 1000;

/** Delivers webhooks. It has its own thread, so that it does not slow down responses. */
export const runDelivery: Run = async ({ config, bus, logger }) => {
  const stores = await composeStores(config);
  const metrics = createDeliveryMetrics({ ...stores, inFlight: () => delivering.inFlight(), logger });
  const delivering = composeDelivery(config, stores, metrics);
  // Also purges the responses stored for an `Idempotency-Key` after 24 hours. Only webhook operations store any.
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
