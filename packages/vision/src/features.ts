import { colourfulness, histogramLength, writeHistogram, writeShape } from "./colour-blocks.ts";
import {
  COMPRESSOR_CAPACITY,
  createCompressor,
  type PatchCompression,
  TEXTURE_LENGTH,
  TINT_LENGTH,
} from "./compress-patches.ts";
import type { Raster } from "./decode-image.ts";
import { createFisherEncoder, fisherCapacity, fisherLength, type Vocabulary } from "./fisher.ts";
import { segmentForeground } from "./foreground.ts";
import { frameObject } from "./frame.ts";
import { computeGradients, createGradients } from "./gradients.ts";
import { halfSize } from "./half-size.ts";
import { createKernels } from "./kernels.ts";
import { labFromRaster } from "./lab.ts";
import { createPatchCutter, FRAME_SIZE } from "./patches.ts";
import { hogLength, writeHog } from "./shape-blocks.ts";

/** Changes whenever the same picture would get other features: weights only fit the recipe they were trained for. */
export const RECIPE = 3;
/** Longer side of the picture that features are read from. */
export const RASTER_SIDE = 160;
export const TEXTURE_WORDS = 32;
export const TINT_WORDS = 32;
const COLOUR_BINS = { lightness: 5, chroma: 7 };
const EDGE_BINS = { cells: 8, bins: 9, signed: false };
const SHAPE_CELLS = 8;

interface Block {
  readonly length: number;
  /** The block's length after normalisation. */
  readonly weight: number;
  /** Blocks of colour shrink with the object's colourfulness: where there is none, they would only add noise. */
  readonly colour: boolean;
}

const TEXTURES: Block = { length: fisherLength(TEXTURE_WORDS, TEXTURE_LENGTH), weight: 0.8, colour: false };
const TINTS: Block = { length: fisherLength(TINT_WORDS, TINT_LENGTH), weight: 0.6, colour: true };
const COLOURS: Block = { length: histogramLength(COLOUR_BINS), weight: 0.7, colour: true };
const EDGES: Block = { length: hogLength(EDGE_BINS), weight: 1, colour: false };
const SHAPE: Block = { length: SHAPE_CELLS ** 2 + 1, weight: 0.4, colour: false };
const USED = [TEXTURES, TINTS, COLOURS, EDGES, SHAPE].reduce((sum, { length }) => sum + length, 0);
/** Padded with zeros to what the kernels take. */
export const FEATURES_LENGTH = Math.ceil(USED / 4) * 4;

export interface PatchModel {
  readonly compression: PatchCompression;
  readonly textures: Vocabulary;
  readonly tints: Vocabulary;
}

/** Reads the features of a picture. The result is overwritten by the next call. */
export function createFeatureReader({
  compression,
  textures,
  tints,
}: PatchModel): (raster: Raster) => Float32Array {
  const kernels = createKernels(
    COMPRESSOR_CAPACITY +
      fisherCapacity(TEXTURE_WORDS, TEXTURE_LENGTH) +
      fisherCapacity(TINT_WORDS, TINT_LENGTH),
  );
  const cutPatches = createPatchCutter();
  const compress = createCompressor(compression, kernels);
  const encodeTextures = createFisherEncoder(textures, kernels);
  const encodeTints = createFisherEncoder(tints, kernels);
  const gradients = createGradients(FRAME_SIZE);
  const features = new Float32Array(FEATURES_LENGTH);
  return (raster) => {
    const image = labFromRaster(raster);
    const frame = frameObject(image, segmentForeground(halfSize(image)), FRAME_SIZE);
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
    add(TEXTURES, (out) => encodeTextures(compressed.texture, patches, out));
    add(TINTS, (out) => encodeTints(compressed.tint, patches, out));
    add(COLOURS, (out) => writeHistogram(frame, COLOUR_BINS, out));
    add(EDGES, (out) => writeHog(gradients, frame.weight, EDGE_BINS, out));
    add(SHAPE, (out) => writeShape(frame, SHAPE_CELLS, out));
    return features;
  };
}

/** Signed square roots, so that no single bin dominates, then the wanted length. */
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
