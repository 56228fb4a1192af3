import { systemClock } from "@product-search/core/ports/clock.ts";
import { marketplaces } from "@product-search/core/ports/marketplace-source.ts";
import { composeMarketplace } from "../../compose/marketplace.ts";
import type { Run } from "../role.ts";
import { createMarketplaceMetrics } from "./marketplace-metrics.ts";

/** The source has its own limits. These only limit the messages that wait. */
const limits = { concurrency: 2000, maxWaiting: 0 };

/**
 * Calls one live marketplace for all threads, so that its quota, circuit breaker and cache are shared, and parsing its
 * responses takes no time of the other threads.
 */
export const runMarketplace: Run = async ({ config, part, bus, logger }) => {
  const marketplace = marketplaces.find((one) => one === part);
  if (marketplace === undefined) throw new Error(`There is no marketplace ${part}.`);
  const { registry, observe } = createMarketplaceMetrics(marketplace, logger, systemClock);
  bus.replyToPoll("metrics", async () => registry.getMetricsAsJSON());
  const live = await composeMarketplace(config, systemClock, marketplace, observe);
  bus.serve(marketplace, limits, (query, signal) => live.source.search(query, signal));
  return { stop: live.close };
};
