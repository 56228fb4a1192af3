import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import type { Sharp } from "sharp";
import sharp from "sharp";
import {
  type CompressedPatches,
  colourComponents,
  compressorCapacity,
  createCompressor,
  createKernels,
  siftComponents,
  textureLength,
  tintLength,
} from "../src/descriptor/compress-patches.ts";
import { type PatchModel, textureWords, tintWords } from "../src/descriptor/features.ts";
import type { Vocabulary } from "../src/descriptor/fisher.ts";
import { computeGradients, createGradients, frameObject } from "../src/descriptor/frame.ts";
import {
  colourLength,
  createPatchCutter,
  frameSize,
  maxPatches,
  type Patches,
  siftLength,
} from "../src/descriptor/patches.ts";
import { halfSize, labFromRaster, type Raster } from "../src/image/open-image.ts";
import { segmentForeground } from "../src/objects/foreground.ts";

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

const rounds = 25;
const minVarianceShare = 0.02;

/** Fits a mixture of `words` Gaussians to `patches` (one per row of `length`) by expectation-maximisation. */
function fitVocabulary(
  patches: Float32Array,
  { length, words }: { length: number; words: number },
  random: () => number,
): Vocabulary {
  const count = patches.length / length;
  const spread = columnVariances(patches, length);
  const means = new Float32Array(words * length);
  for (let word = 0; word < words; word++) {
    const row = Math.floor(random() * count) * length;
    means.set(patches.subarray(row, row + length), word * length);
  }
  let vocabulary: Vocabulary = {
    length,
    shares: new Float32Array(words).fill(1 / words),
    means,
    variances: Float32Array.from({ length: words * length }, (_, i) => spread[i % length] ?? 1),
  };
  for (let round = 0; round < rounds; round++) vocabulary = improve(vocabulary, patches, count, spread);
  return vocabulary;
}

function columnVariances(patches: Float32Array, length: number): Float64Array {
  const count = patches.length / length;
  const sums = new Float64Array(length);
  const squares = new Float64Array(length);
  for (let at = 0; at < patches.length; at++) {
    const value = patches[at] ?? 0;
    sums[at % length] = (sums[at % length] ?? 0) + value / count;
    squares[at % length] = (squares[at % length] ?? 0) + (value * value) / count;
  }
  return squares.map((square, i) => square - (sums[i] ?? 0) ** 2);
}

function improve(old: Vocabulary, patches: Float32Array, count: number, spread: Float64Array): Vocabulary {
  const { length } = old;
  const words = old.shares.length;
  const shares = new Float64Array(words);
  const sums = new Float64Array(words * length);
  const squares = new Float64Array(words * length);
  const scores = new Float64Array(words);
  const constants = Float64Array.from({ length: words }, (_, word) => {
    let constant = Math.log(old.shares[word] ?? 0);
    for (let i = 0; i < length; i++) constant -= 0.5 * Math.log(old.variances[word * length + i] ?? 1);
    return constant;
  });
  for (let row = 0; row < count; row++) {
    const at = row * length;
    let best = Number.NEGATIVE_INFINITY;
    for (let word = 0; word < words; word++) {
      let score = constants[word] ?? 0;
      for (let i = 0, w = word * length; i < length; i++, w++) {
        const off = (patches[at + i] ?? 0) - (old.means[w] ?? 0);
        score -= (0.5 * off * off) / (old.variances[w] ?? 1);
      }
      scores[word] = score;
      if (score > best) best = score;
    }
    let total = 0;
    for (let word = 0; word < words; word++) total += scores[word] = Math.exp((scores[word] ?? 0) - best);
    for (let word = 0; word < words; word++) {
      const share = (scores[word] ?? 0) / total;
      if (share < 1e-4) continue;
      shares[word] = (shares[word] ?? 0) + share;
      for (let i = 0, w = word * length; i < length; i++, w++) {
        const value = patches[at + i] ?? 0;
        sums[w] = (sums[w] ?? 0) + share * value;
        squares[w] = (squares[w] ?? 0) + share * value * value;
      }
    }
  }
  const means = new Float32Array(sums.length);
  const variances = new Float32Array(sums.length);
  for (let w = 0; w < sums.length; w++) {
    const members = (shares[Math.floor(w / length)] ?? 0) + 1e-6;
    means[w] = (sums[w] ?? 0) / members;
    const floor = minVarianceShare * (spread[w % length] ?? 1);
    variances[w] = Math.max(floor, (squares[w] ?? 0) / members - (means[w] ?? 0) ** 2);
  }
  return { length, shares: Float32Array.from(shares, (share) => (share + 1e-6) / count), means, variances };
}

const white = { r: 255, g: 255, b: 255 };

/** An image, and changes that a copy of it may have. `other` is an unrelated photograph; both at most 256 pixels a side. */
type Transform = (
  image: Buffer,
  size: { width: number; height: number },
  other: Buffer,
) => Promise<Sharp> | Sharp;

const transforms = {
  mirrored: (image) => sharp(image).flop(),
  turned90: (image) => sharp(image).rotate(90),
  turned180: (image) => sharp(image).rotate(180),
  turned270: (image) => sharp(image).rotate(270),
  tilted: (image) => sharp(image).rotate(12, { background: white }),
  greyscale: (image) => sharp(image).greyscale(),
  cropped: (image, { width, height }) => {
    const region = { left: width * 0.12, top: height * 0.06, width: width * 0.8, height: height * 0.8 };
    return sharp(image).extract({
      left: Math.floor(region.left),
      top: Math.floor(region.top),
      width: Math.max(1, Math.floor(region.width)),
      height: Math.max(1, Math.floor(region.height)),
    });
  },
  padded: (image, { width, height }) => {
    const x = Math.round(width * 0.3);
    const y = Math.round(height * 0.15);
    return sharp(image).extend({ left: x, right: x, top: y, bottom: y, background: white });
  },
  cluttered: async (image, { width, height }, other) => {
    const size = { width: Math.round(width * 1.6), height: Math.round(height * 1.5) };
    const background = sharp(other).resize(size.width, size.height, { fit: "cover" });
    return background.composite([
      { input: image, left: Math.round(size.width * 0.25), top: Math.round(size.height * 0.12) },
    ]);
  },
  darker: (image) => sharp(image).linear(0.65, 0),
  brighter: (image) => sharp(image).linear(1.25, 18),
  warmer: (image) => sharp(image).linear([1.12, 1, 0.82], [0, 0, 0]),
  blurred: (image) => sharp(image).blur(2),
  stretched: (image, { width, height }) =>
    sharp(image).resize(Math.round(width * 1.25), height, { fit: "fill" }),
  compressed: (image, { width, height }) =>
    sharp(image).resize(Math.max(1, width >> 1), Math.max(1, height >> 1)),
} satisfies Record<string, Transform>;

export type TransformName = keyof typeof transforms;
export const transformNames = Object.keys(transforms) as TransformName[];

/** The transformed image as a JPEG. */
export async function augment(name: TransformName, image: Buffer, other: Buffer): Promise<Buffer> {
  const { width, height } = await sharp(image).metadata();
  const transform: Transform = transforms[name];
  const transformed = await transform(image, { width, height }, other);
  return transformed.jpeg({ quality: name === "compressed" ? 40 : 90 }).toBuffer();
}

/** The upright image on white, at most 256 pixels a side: the input of the transforms. */
export function plainCopy(bytes: Uint8Array): Promise<Buffer> {
  const upright = sharp(bytes).autoOrient().flatten({ background: white }).toColourspace("srgb");
  return upright
    .resize(256, 256, { fit: "inside", withoutEnlargement: true })
    .png({ compressionLevel: 1 })
    .toBuffer();
}
