import { composeCatalogCopy } from "../../compose/catalog-copy.ts";
import type { Run } from "../role.ts";

/** Keeps this node's copy of the catalog, on a service of many nodes. */
export const runCatalogCopy: Run = async ({ config, bus, logger }) => {
  let wasReached = true;
  const { stop } = await composeCatalogCopy(config, ({ error, hasBegunAnew, ...state }) => {
    const isReached = error === undefined;
    if (wasReached && !isReached) logger.error({ err: error }, "PostgreSQL cannot be reached");
    if (!wasReached && isReached) logger.info("PostgreSQL can be reached again");
    wasReached = isReached;
    if (hasBegunAnew)
      logger.warn(
        "the database was put back to an earlier state: copying the catalog and building its indexes anew",
      );
    bus.publish("catalogCopy", { isReached, ...state });
  });
  return { stop };
};
