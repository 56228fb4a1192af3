import type { Raster } from "../src/decode-image.ts";
import type { PatchModel } from "../src/features.ts";
import {
  COLOUR_COMPONENTS,
  COMPRESSED_STRIDE,
  createCompressor,
  FISHER_CAPACITY,
  PATCH_LENGTH,
  SIFT_COMPONENTS,
} from "../src/fisher.ts";
import { segmentForeground } from "../src/foreground.ts";
import { frameObject } from "../src/frame.ts";
import { halfSize } from "../src/half-size.ts";
import { createKernels } from "../src/kernels.ts";
import { labFromRaster } from "../src/lab.ts";
import { COLOUR_LENGTH, createPatchCutter, FRAME_SIZE, type Patches, SIFT_LENGTH } from "../src/patches.ts";
import { principalComponents } from "./principal-components.ts";
import { fitVocabulary } from "./vocabulary.ts";

const SAMPLES = 40_000;

/** Learns how patches are compressed and which words describe them, from the pictures alone. */
export function fitPatchModel(rasters: readonly Raster[], random: () => number): PatchModel {
  const samples = samplePatches(rasters, Math.ceil(SAMPLES / rasters.length), random);
  const sift = principalComponents(
    samples.sift.subarray(0, samples.count * SIFT_LENGTH),
    SIFT_LENGTH,
    SIFT_COMPONENTS,
  );
  const colour = principalComponents(
    samples.colour.subarray(0, samples.count * COLOUR_LENGTH),
    COLOUR_LENGTH,
    COLOUR_COMPONENTS,
  );
  const compression = {
    siftMean: sift.mean,
    siftBasis: sift.basis,
    colourMean: colour.mean,
    colourBasis: colour.basis,
  };
  const compress = createCompressor(compression, createKernels(FISHER_CAPACITY));
  const compressed = new Float32Array(samples.count * PATCH_LENGTH);
  const chunk = 400;
  for (let from = 0; from < samples.count; from += chunk) {
    const to = Math.min(samples.count, from + chunk);
    const rows = compress({
      count: to - from,
      sift: samples.sift.subarray(from * SIFT_LENGTH, to * SIFT_LENGTH),
      colour: samples.colour.subarray(from * COLOUR_LENGTH, to * COLOUR_LENGTH),
      place: samples.place.subarray(from * 3, to * 3),
      weight: samples.weight.subarray(from, to),
    });
    for (let row = 0; row < to - from; row++) {
      const at = row * COMPRESSED_STRIDE;
      compressed.set(rows.subarray(at, at + PATCH_LENGTH), (from + row) * PATCH_LENGTH);
    }
  }
  return { compression, vocabulary: fitVocabulary(compressed, random) };
}

function samplePatches(rasters: readonly Raster[], each: number, random: () => number): Patches {
  const cut = createPatchCutter();
  const capacity = rasters.length * each;
  const samples: Patches = {
    count: 0,
    sift: new Float32Array(capacity * SIFT_LENGTH),
    colour: new Float32Array(capacity * COLOUR_LENGTH),
    place: new Float32Array(capacity * 3),
    weight: new Float32Array(capacity),
  };
  for (const raster of rasters) {
    const image = labFromRaster(raster);
    const patches = cut(frameObject(image, segmentForeground(halfSize(image)), FRAME_SIZE));
    for (let i = 0; i < Math.min(each, patches.count); i++) {
      const row = Math.floor(random() * patches.count);
      const to = samples.count++;
      samples.sift.set(patches.sift.subarray(row * SIFT_LENGTH, (row + 1) * SIFT_LENGTH), to * SIFT_LENGTH);
      samples.colour.set(
        patches.colour.subarray(row * COLOUR_LENGTH, (row + 1) * COLOUR_LENGTH),
        to * COLOUR_LENGTH,
      );
      samples.place.set(patches.place.subarray(row * 3, (row + 1) * 3), to * 3);
      samples.weight[to] = patches.weight[row] ?? 0;
    }
  }
  return samples;
}
