import { halfSize, labFromRaster, type Raster } from "../image/open-image.ts";
import { segmentForeground } from "../objects/foreground.ts";
import {
  colourfulness,
  histogramLength,
  hogLength,
  writeHistogram,
  writeHog,
  writeShape,
} from "./colour-blocks.ts";
import {
  compressorCapacity,
  createCompressor,
  createKernels,
  type PatchCompression,
  textureLength,
  tintLength,
} from "./compress-patches.ts";
import { createFisherEncoder, fisherCapacity, fisherLength, type Vocabulary } from "./fisher.ts";
import { computeGradients, createGradients, frameObject } from "./frame.ts";
import { createPatchCutter, frameSize } from "./patches.ts";

/** Changes whenever an image gets different features: weights fit only the recipe that they were trained for. */
export const featureRecipe = 3;
/** Longer side of the image from which features are computed. */
export const rasterSide = 160;
export const textureWords = 32;
export const tintWords = 32;
const colourBins = { lightness: 5, chroma: 7 };
const edgeBins = { cells: 8, bins: 9, signed: false };
const shapeCells = 8;

interface Block {
  readonly length: number;
  /** The block's length after normalisation. */
  readonly weight: number;
  /** The weight of the colour blocks shrinks with the object's colourfulness: for a grey object they only add noise. */
  readonly colour: boolean;
}

const textureBlock: Block = { length: fisherLength(textureWords, textureLength), weight: 0.8, colour: false };
const tintBlock: Block = { length: fisherLength(tintWords, tintLength), weight: 0.6, colour: true };
const colourBlock: Block = { length: histogramLength(colourBins), weight: 0.7, colour: true };
const edgeBlock: Block = { length: hogLength(edgeBins), weight: 1, colour: false };
const shapeBlock: Block = { length: shapeCells ** 2 + 1, weight: 0.4, colour: false };
const used = [textureBlock, tintBlock, colourBlock, edgeBlock, shapeBlock].reduce(
  (sum, { length }) => sum + length,
  0,
);
/** Padded with zeros to a length that the kernels accept. */
export const featuresLength = Math.ceil(used / 4) * 4;

export interface PatchModel {
  readonly compression: PatchCompression;
  readonly textures: Vocabulary;
  readonly tints: Vocabulary;
}

/** Computes the features of an image. The next call overwrites the result. */
export function createFeatureReader({
  compression,
  textures,
  tints,
}: PatchModel): (raster: Raster) => Float32Array {
  const kernels = createKernels(
    compressorCapacity + fisherCapacity(textureWords, textureLength) + fisherCapacity(tintWords, tintLength),
  );
  const cutPatches = createPatchCutter();
  const compress = createCompressor(compression, kernels);
  const encodeTextures = createFisherEncoder(textures, kernels);
  const encodeTints = createFisherEncoder(tints, kernels);
  const gradients = createGradients(frameSize);
  const features = new Float32Array(featuresLength);
  return (raster) => {
    const image = labFromRaster(raster);
    const frame = frameObject(image, segmentForeground(halfSize(image)), frameSize);
    computeGradients(frame.l, gradients);
    const patches = cutPatches(frame, gradients);
    const compressed = compress(patches);
    const vividness = colourfulness(frame);
    let at = 0;
    const add = (block: Block, write: (out: Float32Array) => void) => {
      const values = features.subarray(at, at + block.length);
      write(values);
      normalise(values, block.weight * (block.colour ? vividness : 1));
      at += block.length;
    };
    add(textureBlock, (out) => encodeTextures(compressed.texture, patches, out));
    add(tintBlock, (out) => encodeTints(compressed.tint, patches, out));
    add(colourBlock, (out) => writeHistogram(frame, colourBins, out));
    add(edgeBlock, (out) => writeHog(gradients, frame.weight, edgeBins, out));
    add(shapeBlock, (out) => writeShape(frame, shapeCells, out));
    return features;
  };
}

/** Takes signed square roots, so that no single bin dominates, then scales to the wanted length. */
function normalise(values: Float32Array, length: number): void {
  let sum = 1e-12;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    const size = Math.abs(value);
    sum += size;
    values[i] = value < 0 ? -Math.sqrt(size) : Math.sqrt(size);
  }
  const scale = length / Math.sqrt(sum);
  for (let i = 0; i < values.length; i++) values[i] = (values[i] ?? 0) * scale;
}
