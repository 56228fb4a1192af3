import { composeCountCollector, composePopularity } from "../../compose/insights.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import type { Run } from "../role.ts";

/** Counts the searches and events of all HTTP threads, and stores the counts. It runs when ANALYTICS_DAYS is set. */
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
  return {
    async stop() {
      await popularity.stop();
      await collector.stop();
      await stores.close();
    },
  };
};
