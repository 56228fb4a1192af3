import { identifyBuiltInModel } from "@product-search/vision/identity";
import type { IndexedModel } from "../../adapters/vector-search/generation.ts";
import { readSearchedModel } from "../../adapters/vector-search/searched-model-file.ts";
import { readVectorFile } from "../../adapters/vector-search/vector-file.ts";
import type { Config } from "../../config.ts";
import { keptVectorFolder } from "./vector-file.ts";

export type { IndexedModel } from "../../adapters/vector-search/generation.ts";

type ModelSettings = Pick<Config, "dataDir" | "databaseUrl" | "search" | "visionModel">;

/** The model of the existing index, if there is one. */
export async function keptModel(
  config: ModelSettings,
): Promise<Omit<IndexedModel, "dimensions"> | undefined> {
  return config.search === undefined
    ? readVectorFile(await keptVectorFolder(config)).file
    : readSearchedModel(config.dataDir);
}

/**
 * The models that a thread for pictures would load, without loading them: almost always the built-in one alone, which names
 * itself. Undefined if only loading tells.
 */
export async function identifyModels(config: ModelSettings): Promise<[IndexedModel] | undefined> {
  if (config.visionModel !== undefined) return undefined;
  const builtIn = identifyBuiltInModel();
  const wanted = { model: builtIn.id, dimensions: builtIn.dimensions };
  const kept = await keptModel(config);
  return kept === undefined || kept.model === wanted.model ? [wanted] : undefined;
}
