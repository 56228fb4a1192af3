import { createDescriber } from "../src/built-in-model.ts";
import { rasterSide } from "../src/descriptor/features.ts";
import { descriptorDimensions } from "../src/descriptor/weights-header.ts";
import { decodeImage } from "../src/image/decode-image.ts";
import type { OpenedImage } from "../src/image/open-image.ts";
import { loadLearnedEncoder } from "../src/learned/learned-encoder.ts";
import { embeddingLength, inputSide } from "../src/learned/network.ts";
import type { TrainedWeights } from "../train/train-weights.ts";
import { createBaselines, histogramDimensions, hogDimensions } from "./baselines.ts";

/** The ways of describing an image that are compared, and the length of their vectors. */
export const methodLengths = {
  builtIn: descriptorDimensions,
  small: descriptorDimensions,
  network: embeddingLength,
  histogram: histogramDimensions,
  hog: hogDimensions,
} as const;
export type Method = keyof typeof methodLengths;

/** Describes an image by every method. */
export function createMethods({
  small,
  joining,
}: TrainedWeights): (image: OpenedImage) => Promise<Record<Method, Float32Array>> {
  const encoder = loadLearnedEncoder();
  const describe = createDescriber(small, joining, encoder);
  const describeByBaselines = createBaselines();
  return async (image) => {
    const { small: bySmall, joined } = await describe(image);
    return {
      builtIn: joined,
      small: bySmall,
      network: encoder.encode(await decodeImage(image, inputSide)),
      ...describeByBaselines(await decodeImage(image, rasterSide)),
    };
  };
}
