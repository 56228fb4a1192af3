import { createFeatureReader, rasterSide } from "../src/descriptor/features.ts";
import { createProjector } from "../src/descriptor/project.ts";
import type { Weights } from "../src/descriptor/weights.ts";
import { decodeImage } from "../src/image/decode-image.ts";
import { openImage } from "../src/image/open-image.ts";

/** Median time in milliseconds of each stage of describing an image, on one thread, after a warm-up. */
export async function measureTime(images: readonly Buffer[], { patches, projection }: Omit<Weights, "id">) {
  const read = createFeatureReader(patches);
  const project = createProjector(projection);
  const stages = {
    decode: [] as number[],
    features: [] as number[],
    projection: [] as number[],
    whole: [] as number[],
  };
  for (const bytes of [...images.slice(0, 50), ...images]) {
    const start = performance.now();
    const raster = await decodeImage(await openImage(bytes), rasterSide);
    const decoded = performance.now();
    const features = read(raster);
    const described = performance.now();
    project(features);
    const done = performance.now();
    stages.decode.push(decoded - start);
    stages.features.push(described - decoded);
    stages.projection.push(done - described);
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
