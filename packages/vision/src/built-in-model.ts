import { readFileSync } from "node:fs";
import { createProjector } from "./descriptor/compress-patches.ts";
import { createFeatureReader, rasterSide } from "./descriptor/features.ts";
import { decodeWeights, descriptorDimensions, type Weights } from "./descriptor/weights.ts";
import { identifyBuiltInModel, shippedWeights, weightsFiles } from "./identity.ts";
import { decodeImage, type OpenedImage, openImage } from "./image/open-image.ts";
import {
  createJoiner,
  decodeJoining,
  type Joining,
  type LearnedEncoder,
  loadLearnedEncoder,
} from "./learned/learned-encoder.ts";
import { inputSide } from "./learned/network.ts";
import { readCellWeights } from "./objects/cells.ts";
import { createDetector } from "./objects/detect-objects.ts";
import type { VisionModel } from "./vision-model.ts";

/**
 * The model that is used unless another is configured: the small model and a network that knows kinds of things, joined.
 * Its weights are part of this package. Loading reads and checks them, so load once per thread. Throws if a file is missing
 * or damaged.
 */
export function loadBuiltInModel(folder = shippedWeights): VisionModel {
  const describe = createDescriber(readSmallWeights(folder), readJoining(folder), loadLearnedEncoder());
  return {
    ...identifyBuiltInModel(folder),
    async describe(bytes, signal) {
      const { joined } = await describe(await openImage(bytes), signal);
      return joined;
    },
    detect: createDetector(() => readCellWeights(folder)),
  };
}

export function readJoining(folder = shippedWeights): Joining {
  const { joined } = weightsFiles(folder);
  return decodeJoining(readFileSync(joined), joined);
}

/** Describes an image by the small model and by the built-in one. Evaluations name weights of their own. */
export function createDescriber(
  { patches, projection }: Omit<Weights, "id" | "trainedOn">,
  joining: Joining,
  encoder: LearnedEncoder,
): (image: OpenedImage, signal?: AbortSignal) => Promise<{ small: Float32Array; joined: Float32Array }> {
  const readFeatures = createFeatureReader(patches);
  const project = createProjector(projection);
  const join = createJoiner(joining);
  return async (image, signal) => {
    const rasters = await Promise.all([decodeImage(image, rasterSide), decodeImage(image, inputSide)]);
    signal?.throwIfAborted();
    const small = project(readFeatures(rasters[0]));
    return { small, joined: join(small, encoder.encode(rasters[1])) };
  };
}

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
