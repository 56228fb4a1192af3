import { join } from "node:path";
import { buildVectorFile } from "../../adapters/vector-search/build-vector-file.ts";
import type { IndexedModel } from "../../adapters/vector-search/generation.ts";
import type { VectorFile } from "../../adapters/vector-search/vector-file.ts";
import type { Config } from "../../config.ts";
import { openNodeCopy } from "../stores/node-copy.ts";
import type { Stores } from "../stores/stores.ts";

export type { VectorFile, VectorSegments } from "../../adapters/vector-search/vector-file.ts";

export function vectorFolder(
  { dataDir }: Pick<Config, "dataDir">,
  { nodeCopy }: Pick<Stores, "nodeCopy">,
): string {
  return nodeCopy?.indexFolder("vectors") ?? join(dataDir, "vectors");
}

/** For threads that do not open a database. */
export async function keptVectorFolder(config: Pick<Config, "dataDir" | "databaseUrl">): Promise<string> {
  if (config.databaseUrl === undefined) return vectorFolder(config, { nodeCopy: undefined });
  const nodeCopy = await openNodeCopy(config);
  const folder = vectorFolder(config, { nodeCopy });
  await nodeCopy.close();
  return folder;
}

/** Writes a new vector file. This takes seconds to many minutes of CPU time on the calling thread. */
export function composeVectorFileBuilder(
  config: Config,
  stores: Pick<Stores, "productImages" | "nodeCopy">,
): (model: IndexedModel, signal?: AbortSignal) => Promise<VectorFile> {
  const { searched: store } = stores.productImages();
  return (model, signal) =>
    buildVectorFile({ store, folder: vectorFolder(config, stores), signal, ...model });
}
