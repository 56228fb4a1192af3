import { readFileSync } from "node:fs";
import { createFeatureReader, rasterSide } from "./descriptor/features.ts";
import { createProjector } from "./descriptor/project.ts";
import { decodeWeights, type Weights } from "./descriptor/weights.ts";
import { descriptorDimensions } from "./descriptor/weights-header.ts";
import { shippedWeights, weightsFiles } from "./identity.ts";
import { decodeImage } from "./image/decode-image.ts";
import { openImage } from "./image/open-image.ts";
import { readCellWeights } from "./objects/cell-boxes.ts";
import { createDetector } from "./objects/detect-objects.ts";
import type { VisionModel } from "./vision-model.ts";

export function readSmallWeights(folder = shippedWeights): Weights {
  const { small } = weightsFiles(folder);
  return decodeWeights(readFileSync(small), small);
}

/**
 * The model without a neural network. Loading reads and checks its weights, so load once per thread. Throws if the file is
 * missing or damaged.
 */
export function loadSmallModel(folder = shippedWeights): VisionModel {
  const { id, patches, projection } = readSmallWeights(folder);
  const readFeatures = createFeatureReader(patches);
  const project = createProjector(projection);
  return {
    id,
    dimensions: descriptorDimensions,
    async describe(bytes, signal) {
      const raster = await decodeImage(await openImage(bytes), rasterSide);
      signal?.throwIfAborted();
      return project(readFeatures(raster));
    },
    detect: createDetector(() => readCellWeights(folder)),
  };
}
