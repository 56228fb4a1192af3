import { setTimeout } from "node:timers/promises";
import { composeImportResumption } from "../../compose/import.ts";
import { composeStores } from "../../compose/stores.ts";
import type { Run } from "../role.ts";

const lookEveryMs = 10_000;
/** An import of a node that died begins to be finished within ten seconds: this after its lease has run out. */
const lookEveryMsAmongNodes = 1000;

/** Finishes imports whose process died after it had read its feed. */
export const runImport: Run = async ({ config, logger }) => {
  const stores = await composeStores(config);
  const { resume, close } = composeImportResumption(config, stores);
  const stopping = new AbortController();
  const { signal } = stopping;
  const everyMs = config.databaseUrl === undefined ? lookEveryMs : lookEveryMsAmongNodes;
  const looking = (async () => {
    while (!signal.aborted) {
      try {
        const applied = await resume(signal);
        if (applied !== undefined) logger.info(applied, "finished an import that was left behind");
      } catch (error) {
        if (!signal.aborted)
          logger.error({ err: error }, "an import that was left behind could not be finished");
      }
      await setTimeout(everyMs, undefined, { signal }).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await looking;
      await close();
      await stores.close();
    },
  };
};
