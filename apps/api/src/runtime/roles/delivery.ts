import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { composeStores, type Stores } from "../../compose/stores/stores.ts";
import { composeDelivery } from "../../compose/webhooks.ts";
import type { Leading } from "../../ports/leases.ts";
import type { Run } from "../role.ts";
import { createDeliveryMetrics } from "./delivery-metrics.ts";

const forgetEveryMs = 3600 * 1000;

/** Delivers webhooks. It has its own thread, so that it does not slow down responses. */
export const runDelivery: Run = async ({ config, bus, logger }) => {
  const stores = await composeStores(config);
  const metrics = createDeliveryMetrics({ ...stores, inFlight: () => delivering.inFlight(), logger });
  const delivering = composeDelivery(config, stores, metrics);
  const forgetting = forgetResponses(stores, logger);
  bus.replyToPoll("metrics", async () => metrics.registry.getMetricsAsJSON());
  return {
    async stop() {
      await forgetting.stop();
      await delivering.stop();
      await stores.close();
    },
  };
};

/** Responses kept for `Idempotency-Key` go when their day is over; of the operations that keep any, all are about webhooks. */
function forgetResponses({ leases, expiredResponses }: Stores, logger: Logger): Leading {
  return leases.lead("cleanup", async (lease) => {
    const responses = expiredResponses(lease);
    while (!lease.signal.aborted) {
      await responses
        .removeExpired()
        .catch((error: unknown) => logger.warn({ err: error }, "stored responses were not removed"));
      await delay(forgetEveryMs, undefined, { signal: lease.signal }).catch(() => {});
    }
  });
}
