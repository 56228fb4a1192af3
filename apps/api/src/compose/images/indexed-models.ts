import { identifyBuiltInModel, identifySmallModel, smallModel } from "@product-search/vision/identity";
import { type IndexedModel, readSearchedModel } from "../../adapters/vector-search/generation.ts";
import { readVectorFile } from "../../adapters/vector-search/vector-file.ts";
import type { Config } from "../../config.ts";
import { keptVectorFolder } from "./vector-file.ts";

export type { IndexedModel } from "../../adapters/vector-search/generation.ts";

type ModelSettings = Pick<Config, "dataDir" | "databaseUrl" | "search" | "visionModel">;

/** The model of the existing index, if there is one. */
export async function keptModel(
  config: ModelSettings,
): Promise<Omit<IndexedModel, "dimensions"> | undefined> {
  if (config.search !== undefined) return readSearchedModel(config.dataDir);
  const folder = await keptVectorFolder(config);
  return readVectorFile(folder).file ?? readSearchedModel(folder);
}

/**
 * The models that a thread for images would load, without loading them: almost always a built-in one alone, which names
 * itself. Undefined if only loading tells.
 */
export async function identifyModels(config: ModelSettings): Promise<[IndexedModel] | undefined> {
  const { visionModel } = config;
  if (visionModel !== undefined && visionModel !== smallModel) return undefined;
  const { id, dimensions } = visionModel === smallModel ? identifySmallModel() : builtInModel();
  const wanted = { model: id, dimensions, encoder: visionModel };
  const kept = await keptModel(config);
  return kept === undefined || kept.model === wanted.model ? [wanted] : undefined;
}

/** It is not replaced by the small model unasked: nodes share vectors, and all images would be described anew. */
function builtInModel() {
  try {
    return identifyBuiltInModel();
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${fault} VISION_MODEL=${smallModel} describes images without lite0.bin and joined.bin.`,
      {
        cause: error,
      },
    );
  }
}
