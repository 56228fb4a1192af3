import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import {
  type CompressedPatches,
  colourComponents,
  compressorCapacity,
  createCompressor,
  siftComponents,
  textureLength,
  tintLength,
} from "../src/descriptor/compress-patches.ts";
import { type PatchModel, textureWords, tintWords } from "../src/descriptor/features.ts";
import { frameObject } from "../src/descriptor/frame.ts";
import { computeGradients, createGradients } from "../src/descriptor/gradients.ts";
import { createKernels } from "../src/descriptor/kernels.ts";
import {
  colourLength,
  createPatchCutter,
  frameSize,
  maxPatches,
  type Patches,
  siftLength,
} from "../src/descriptor/patches.ts";
import type { Raster } from "../src/image/decode-image.ts";
import { halfSize } from "../src/image/half-size.ts";
import { labFromRaster } from "../src/image/lab.ts";
import { segmentForeground } from "../src/objects/foreground.ts";
import { fitVocabulary } from "./vocabulary.ts";

const sampleCount = 40_000;

/** Learns how to compress patches and which words describe them, from the images alone. */
export function fitPatchModel(rasters: readonly Raster[], random: () => number): PatchModel {
  const samples = samplePatches(rasters, Math.ceil(sampleCount / rasters.length), random);
  const sift = principalComponents(
    samples.sift.subarray(0, samples.count * siftLength),
    siftLength,
    siftComponents,
  );
  const colour = principalComponents(
    samples.colour.subarray(0, samples.count * colourLength),
    colourLength,
    colourComponents,
  );
  const compression = {
    siftMean: sift.mean,
    siftBasis: sift.basis,
    colourMean: colour.mean,
    colourBasis: colour.basis,
  };
  const compress = createCompressor(compression, createKernels(compressorCapacity));
  const texture = new Float32Array(samples.count * textureLength);
  const tint = new Float32Array(samples.count * tintLength);
  for (let from = 0; from < samples.count; from += maxPatches) {
    const rows = rowsOf(samples, from, Math.min(samples.count, from + maxPatches));
    const compressed = compress(rows);
    copyRows(compressed.texture, rows.count, texture, from);
    copyRows(compressed.tint, rows.count, tint, from);
  }
  return {
    compression,
    textures: fitVocabulary(texture, { length: textureLength, words: textureWords }, random),
    tints: fitVocabulary(tint, { length: tintLength, words: tintWords }, random),
  };
}

function rowsOf({ sift, colour, place, weight }: Patches, from: number, to: number): Patches {
  return {
    count: to - from,
    sift: sift.subarray(from * siftLength, to * siftLength),
    colour: colour.subarray(from * colourLength, to * colourLength),
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
  const gradients = createGradients(frameSize);
  const capacity = rasters.length * each;
  const samples: Patches = {
    count: 0,
    sift: new Float32Array(capacity * siftLength),
    colour: new Float32Array(capacity * colourLength),
    place: new Float32Array(capacity * 3),
    weight: new Float32Array(capacity),
  };
  for (const raster of rasters) {
    const image = labFromRaster(raster);
    const frame = frameObject(image, segmentForeground(halfSize(image)), frameSize);
    computeGradients(frame.l, gradients);
    const patches = cut(frame, gradients);
    for (let i = 0; i < Math.min(each, patches.count); i++) {
      const row = Math.floor(random() * patches.count);
      const to = samples.count++;
      samples.sift.set(patches.sift.subarray(row * siftLength, (row + 1) * siftLength), to * siftLength);
      samples.colour.set(
        patches.colour.subarray(row * colourLength, (row + 1) * colourLength),
        to * colourLength,
      );
      samples.place.set(patches.place.subarray(row * 3, (row + 1) * 3), to * 3);
      samples.weight[to] = patches.weight[row] ?? 0;
    }
  }
  return samples;
}

interface Components {
  readonly mean: Float32Array;
  /** One direction per row, the one with the largest variance first. */
  readonly basis: Float32Array;
}

/** The principal components of `rows`, a table of `length` columns. */
function principalComponents(rows: Float32Array, length: number, components: number): Components {
  const count = rows.length / length;
  const mean = new Float64Array(length);
  for (let i = 0; i < rows.length; i++) mean[i % length] = (mean[i % length] ?? 0) + (rows[i] ?? 0) / count;
  const covariance = Matrix.zeros(length, length);
  const centred = new Float64Array(length);
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < length; i++) centred[i] = (rows[row * length + i] ?? 0) - (mean[i] ?? 0);
    for (let i = 0; i < length; i++) {
      const value = centred[i] ?? 0;
      for (let j = i; j < length; j++) covariance.set(i, j, covariance.get(i, j) + value * (centred[j] ?? 0));
    }
  }
  for (let i = 0; i < length; i++) for (let j = 0; j < i; j++) covariance.set(i, j, covariance.get(j, i));
  const vectors = new EigenvalueDecomposition(covariance, { assumeSymmetric: true }).eigenvectorMatrix;
  const basis = new Float32Array(components * length);
  for (let component = 0; component < components; component++) {
    for (let i = 0; i < length; i++) basis[component * length + i] = vectors.get(i, length - 1 - component);
  }
  return { mean: Float32Array.from(mean), basis };
}
