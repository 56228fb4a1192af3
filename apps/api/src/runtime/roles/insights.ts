import { pause } from "@product-search/core/mechanisms/retry.ts";
import { composeCountCollector, composePopularity } from "../../compose/insights.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import type { Run } from "../role.ts";

/** HTTP threads stop at the same time, and pass on what they noted last. */
const lastBatchesMs = 500;

/**
 * Counts the searches and events of all HTTP threads, and stores the counts. Without ANALYTICS_DAYS none come, but the
 * popularity of products still fades.
 */
export const runInsights: Run = async ({ config, bus, logger }) => {
  const stores = await composeStores(config);
  const collector = composeCountCollector(stores, (error) =>
    logger.warn({ err: error }, "counts of searches cannot be stored at the moment"),
  );
  const popularity = composePopularity(stores, (error) =>
    logger.warn({ err: error }, "the popularity of products was not refreshed"),
  );
  bus.serve("countSearches", { concurrency: 100, maxWaiting: 100 }, async (batch) => {
    collector.receive(batch);
    return null;
  });
  bus.serve("countEvents", { concurrency: 1000, maxWaiting: 1000 }, collector.addEvents);
  return {
    async stop() {
      await popularity.stop();
      if (config.analyticsDays > 0) await pause(lastBatchesMs);
      await collector.stop();
      await stores.close();
    },
  };
};
