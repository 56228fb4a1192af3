import { composeCleanup } from "../../compose/clean-up.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import { composeDelivery } from "../../compose/webhooks.ts";
import type { Run } from "../role.ts";
import { createDeliveryMetrics } from "./delivery-metrics.ts";

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
