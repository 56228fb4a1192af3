import { createFeatureReader, rasterSide } from "../src/descriptor/features.ts";
import { createProjector } from "../src/descriptor/project.ts";
import { decodeImage } from "../src/image/decode-image.ts";
import { openImage } from "../src/image/open-image.ts";
import { createJoiner } from "../src/learned/joining.ts";
import { loadLearnedEncoder } from "../src/learned/learned-encoder.ts";
import { inputSide } from "../src/learned/network.ts";
import type { TrainedWeights } from "../train/train-weights.ts";

/** Median time in milliseconds of each stage of describing an image, on one thread, after a warm-up. */
export async function measureTime(images: readonly Buffer[], { small, joining }: TrainedWeights) {
  const read = createFeatureReader(small.patches);
  const project = createProjector(small.projection);
  const join = createJoiner(joining);
  const encoder = loadLearnedEncoder();
  const stages = {
    decode: [] as number[],
    features: [] as number[],
    network: [] as number[],
    projection: [] as number[],
    whole: [] as number[],
  };
  for (const bytes of [...images.slice(0, 50), ...images]) {
    const start = performance.now();
    const image = await openImage(bytes);
    const raster = await decodeImage(image, rasterSide);
    const square = await decodeImage(image, inputSide);
    const decoded = performance.now();
    const features = read(raster);
    const described = performance.now();
    const embedding = encoder.encode(square);
    const encoded = performance.now();
    join(project(features), embedding);
    const done = performance.now();
    stages.decode.push(decoded - start);
    stages.features.push(described - decoded);
    stages.network.push(encoded - described);
    stages.projection.push(done - encoded);
    stages.whole.push(done - start);
  }
  const { whole, ...parts } = stages;
  return {
    msPerImage: median(whole.slice(50)),
    msByStage: Object.fromEntries(
      Object.entries(parts).map(([name, times]) => [name, median(times.slice(50))]),
    ),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
