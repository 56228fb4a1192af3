import { composeMarketplace } from "../../compose/marketplace.ts";
import { systemClock } from "../../ports/clock.ts";
import { marketplaces } from "../../ports/marketplace-source.ts";
import type { Run } from "../role.ts";
import { createMarketplaceMetrics } from "./marketplace-metrics.ts";

/** The source itself bounds what waits and what runs; this only keeps a flood of messages from piling up. */
const bounds = { concurrency: 2000, mostWaiting: 0 };

/**
 * Asks one live marketplace for all threads: so its quota, its circuit and its cache are one, and whatever it
 * answers costs no other thread any time.
 */
export const runMarketplace: Run = async ({ config, number, link, logger }) => {
  const marketplace = marketplaces[number];
  if (marketplace === undefined) throw new Error(`There is no marketplace number ${number}.`);
  const { registry, observe } = createMarketplaceMetrics(marketplace, logger, systemClock);
  link.answerPoll("metrics", async () => registry.getMetricsAsJSON());
  const live = await composeMarketplace(config, systemClock, marketplace, observe);
  // Callers that leave are of no interest here: the answer is for the cache too.
  const never = new AbortController().signal;
  link.serve(marketplace, bounds, (query) => live.source.search(query, never));
  return { stop: live.close };
};
