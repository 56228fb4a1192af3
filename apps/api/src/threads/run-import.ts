import { setTimeout } from "node:timers/promises";
import { composeStores } from "../compose.ts";
import { composeImport } from "../compose-import.ts";
import { resumeImport } from "../features/catalog/import/resume-import.ts";
import type { Run } from "./thread.ts";

const lookEveryMs = 10_000;

/** Finishes imports whose process died after it had read its feed. */
export const runImport: Run = async ({ config, logger }) => {
  const stores = await composeStores(config);
  const deps = composeImport(config, stores);
  const stopping = new AbortController();
  const { signal } = stopping;
  const looking = (async () => {
    while (!signal.aborted) {
      try {
        const applied = await resumeImport(deps, signal);
        if (applied !== undefined) logger.info(applied, "finished an import that was left behind");
      } catch (error) {
        if (!signal.aborted)
          logger.error({ err: error }, "an import that was left behind could not be finished");
      }
      await setTimeout(lookEveryMs, undefined, { signal }).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await looking;
      await deps.close();
      await stores.close();
    },
  };
};
