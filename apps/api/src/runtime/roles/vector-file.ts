import { composeVectorFileBuilder } from "../../compose/images.ts";
import { composeStores } from "../../compose/stores.ts";
import type { Run } from "../role.ts";

/** Writes the file of the vector index when it is asked to: the only thread that may be busy for minutes. */
export const runVectorFile: Run = async ({ config, link, logger }) => {
  const stores = await composeStores(config);
  const build = composeVectorFileBuilder(config, stores);
  link.serve("buildVectorFile", { concurrency: 1, mostWaiting: 1 }, async (model) => {
    const startedAt = performance.now();
    const file = await build(model);
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    logger.info({ seconds, vectors: file.vectors, bytes: file.bytes }, "wrote the vector file");
    return file;
  });
  return { stop: () => stores.close() };
};
