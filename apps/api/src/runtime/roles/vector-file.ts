import { systemClock } from "@product-search/core/ports/clock.ts";
import { composeVectorFileBuilder } from "../../compose/images/vector-file.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import type { Run } from "../role.ts";

/** Writes the file of the vector index on request. No other thread may be busy for minutes. */
export const runVectorFile: Run = async ({ config, bus, logger }) => {
  const stores = await composeStores(config, systemClock, { readsInOrder: true });
  const build = composeVectorFileBuilder(config, stores);
  bus.serve("buildVectorFile", { concurrency: 1, maxWaiting: 1 }, async (model, signal) => {
    const startedAt = performance.now();
    const file = await build(model, signal);
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    logger.info({ seconds, vectors: file.vectors, bytes: file.bytes }, "wrote the vector file");
    return file;
  });
  return { stop: () => stores.close() };
};
