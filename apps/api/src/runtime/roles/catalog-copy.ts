import { composeCatalogCopy } from "../../compose/stores/catalog-copy.ts";
import type { Run } from "../role.ts";

/** Keeps this node's copy of the catalog, on a service of many nodes. */
export const runCatalogCopy: Run = async ({ config, bus, logger }) => {
  let wasReached = true;
  let published = "";
  const { stop } = await composeCatalogCopy(config, ({ error, hasBegunAnew, ...state }) => {
    const isReached = error === undefined;
    if (wasReached && !isReached) logger.error({ err: error }, "PostgreSQL cannot be reached");
    if (!wasReached && isReached) logger.info("PostgreSQL can be reached again");
    wasReached = isReached;
    if (hasBegunAnew)
      logger.warn(
        "the database was put back to an earlier state: copying the catalog and building its indexes anew",
      );
    const told = { isReached, ...state };
    // Looked at ten times a second, and rarely any different.
    if (JSON.stringify(told) === published) return;
    published = JSON.stringify(told);
    bus.publish("catalogCopy", told);
  });
  return { stop };
};
