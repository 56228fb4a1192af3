import { composeTextIndex } from "../../compose/search/text-index.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import type { Run } from "../role.ts";

/** Keeps the text index up to date by following the change log of the catalog, and publishes it to the HTTP threads. */
export const runTextIndex: Run = async ({ config, bus, logger }) => {
  const stores = await composeStores(config);
  const { nodeCopy } = stores;
  await nodeCopy?.untilComplete();
  const epoch = nodeCopy?.state().epoch;
  const stopLooking = nodeCopy?.onBegunAnew(endThread);
  const startedAt = performance.now();
  const follower = await composeTextIndex(config, stores, {
    publish: (snapshot) => bus.publish("textIndex", snapshot),
    onSaveError: (error) => logger.error({ err: error }, "the text index was not kept for the next start"),
    onError: (error, what) => logger.error({ err: error }, what),
    onSearchCluster: (isReached, error) => {
      if (isReached) logger.info("OpenSearch can be reached");
      else logger.error({ err: error }, "OpenSearch cannot be reached");
      bus.publish("searchCluster", { isReached });
    },
  });
  if (epoch !== undefined) bus.publish("textIndexEpoch", epoch);
  const { rebuildReason } = follower;
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  logger.info({ seconds, rebuildReason }, rebuildReason ? "built the text index" : "opened the text index");
  follower.ended.catch((error: unknown) => {
    // An error outside any promise ends the thread, and the supervisor starts a new one.
    setImmediate(() => {
      throw error;
    });
  });
  return {
    async stop() {
      stopLooking?.();
      await follower.stop();
      await stores.close();
    },
  };
};

/** The index is of a former catalog. The thread that the supervisor starts next builds a new one. */
function endThread(): never {
  throw new Error("The copy of the catalog was begun anew.");
}
