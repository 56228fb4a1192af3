import {
  COLOUR_COMPONENTS,
  COMPRESSOR_CAPACITY,
  type CompressedPatches,
  createCompressor,
  SIFT_COMPONENTS,
  TEXTURE_LENGTH,
  TINT_LENGTH,
} from "../src/compress-patches.ts";
import type { Raster } from "../src/decode-image.ts";
import { type PatchModel, TEXTURE_WORDS, TINT_WORDS } from "../src/features.ts";
import { segmentForeground } from "../src/foreground.ts";
import { frameObject } from "../src/frame.ts";
import { computeGradients, createGradients } from "../src/gradients.ts";
import { halfSize } from "../src/half-size.ts";
import { createKernels } from "../src/kernels.ts";
import { labFromRaster } from "../src/lab.ts";
import {
  COLOUR_LENGTH,
  createPatchCutter,
  FRAME_SIZE,
  MAX_PATCHES,
  type Patches,
  SIFT_LENGTH,
} from "../src/patches.ts";
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
  const compress = createCompressor(compression, createKernels(COMPRESSOR_CAPACITY));
  const texture = new Float32Array(samples.count * TEXTURE_LENGTH);
  const tint = new Float32Array(samples.count * TINT_LENGTH);
  for (let from = 0; from < samples.count; from += MAX_PATCHES) {
    const rows = rowsOf(samples, from, Math.min(samples.count, from + MAX_PATCHES));
    const compressed = compress(rows);
    copyRows(compressed.texture, rows.count, texture, from);
    copyRows(compressed.tint, rows.count, tint, from);
  }
  return {
    compression,
    textures: fitVocabulary(texture, { length: TEXTURE_LENGTH, words: TEXTURE_WORDS }, random),
    tints: fitVocabulary(tint, { length: TINT_LENGTH, words: TINT_WORDS }, random),
  };
}

function rowsOf({ sift, colour, place, weight }: Patches, from: number, to: number): Patches {
  return {
    count: to - from,
    sift: sift.subarray(from * SIFT_LENGTH, to * SIFT_LENGTH),
    colour: colour.subarray(from * COLOUR_LENGTH, to * COLOUR_LENGTH),
    place: place.subarray(from * 3, to * 3),
    weight: weight.subarray(from, to),
  };
}

function copyRows(
  { length, stride, rows }: CompressedPatches,
  count: number,
  out: Float32Array,
  to: number,
): void {
  for (let row = 0; row < count; row++) {
    out.set(rows.subarray(row * stride, row * stride + length), (to + row) * length);
  }
}

function samplePatches(rasters: readonly Raster[], each: number, random: () => number): Patches {
  const cut = createPatchCutter();
  const gradients = createGradients(FRAME_SIZE);
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
    const frame = frameObject(image, segmentForeground(halfSize(image)), FRAME_SIZE);
    computeGradients(frame.l, gradients);
    const patches = cut(frame, gradients);
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
