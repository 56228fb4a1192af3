import { createFeatureReader } from "../src/descriptor/features.ts";
import { createProjector } from "../src/descriptor/project.ts";
import type { Weights } from "../src/descriptor/weights.ts";
import { descriptorDimensions } from "../src/descriptor/weights-header.ts";
import type { Raster } from "../src/image/decode-image.ts";
import { createBaselines, histogramDimensions, hogDimensions } from "./baselines.ts";

/** The ways of describing an image that are compared, and the length of their vectors. */
export const methodLengths = {
  builtIn: descriptorDimensions,
  histogram: histogramDimensions,
  hog: hogDimensions,
} as const;
export type Method = keyof typeof methodLengths;

/** Describes an image by every method. */
export function createDescriber(
  weights: Omit<Weights, "id">,
): (raster: Raster) => Record<Method, Float32Array> {
  const read = createFeatureReader(weights.patches);
  const project = createProjector(weights.projection);
  const describeByBaselines = createBaselines();
  return (raster) => ({ builtIn: project(read(raster)), ...describeByBaselines(raster) });
}
