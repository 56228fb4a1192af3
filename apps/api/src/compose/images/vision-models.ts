import type { VisionModel } from "@product-search/core/ports/images.ts";
import { type LearnedModelFiles, loadVisionModel, smallModel } from "@product-search/vision";
import { createInProcessVisionModel } from "../../adapters/vision-model/in-process.ts";
import type { Config } from "../../config.ts";
import { type IndexedModel, keptModel } from "./indexed-models.ts";

export interface LoadedModel extends IndexedModel {
  see: VisionModel;
}

/**
 * The model for new descriptors, then the model of the existing index if that is another one and can still be loaded.
 * If the wanted model cannot be loaded, it fails with a message that says what to do.
 */
export async function composeVisionModels(
  config: Pick<Config, "dataDir" | "databaseUrl" | "search" | "visionModel" | "visionDetector">,
  onError: (error: unknown, what: string) => void,
  load = loadVisionModel,
): Promise<[LoadedModel, ...LoadedModel[]]> {
  const { visionModel, visionDetector } = config;
  const wanted = await loadModel({ encoder: visionModel, detector: visionDetector }, load);
  const kept = await keptModel(config);
  if (kept === undefined || kept.model === wanted.model) return [wanted];
  // Earlier releases had the small model alone, and noted no encoder either.
  const encoders = kept.encoder === undefined ? [undefined, smallModel] : [kept.encoder];
  for (const encoder of encoders) {
    if (encoder === visionModel) continue;
    try {
      const former = await loadModel({ encoder, detector: visionDetector }, load);
      if (former.model === kept.model) return [wanted, former];
    } catch (error) {
      onError(error, "the former vision model cannot be loaded: its index is not used any more");
    }
  }
  return [wanted];
}

async function loadModel(files: LearnedModelFiles, load: typeof loadVisionModel): Promise<LoadedModel> {
  const engine = await load(files);
  const { id, dimensions } = engine;
  return { model: id, dimensions, encoder: files.encoder, see: createInProcessVisionModel(engine) };
}
