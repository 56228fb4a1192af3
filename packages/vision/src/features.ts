import { histogramLength, writeHistogram, writeShape, writeThumbnail } from "./colour-blocks.ts";
import type { Raster } from "./decode-image.ts";
import {
  createFisherEncoder,
  FISHER_CAPACITY,
  FISHER_LENGTH,
  type PatchCompression,
  type Vocabulary,
} from "./fisher.ts";
import { segmentForeground } from "./foreground.ts";
import { type Frame, frameObject } from "./frame.ts";
import { computeGradients, createGradients } from "./gradients.ts";
import { halfSize } from "./half-size.ts";
import { createKernels } from "./kernels.ts";
import { labFromRaster } from "./lab.ts";
import { createPatchCutter, FRAME_SIZE } from "./patches.ts";
import { hogLength, patternLength, writeHog, writePatterns } from "./shape-blocks.ts";

/** Changes whenever the same picture would get other features: weights only fit the recipe they were trained for. */
export const RECIPE = 1;
/** Longer side of the picture that features are read from. */
export const RASTER_SIDE = 160;
const COLOUR_BINS = { lightness: 5, chroma: 7, bands: 1 };
const BAND_BINS = { lightness: 4, chroma: 5, bands: 3 };
const EDGE_BINS = { cells: 6, bins: 9, signed: false };
const SLOPE_BINS = { cells: 4, bins: 12, signed: true };
const PATTERN_CELLS = 2;
const THUMBNAIL_CELLS = 8;

interface Block {
  readonly name: string;
  readonly length: number;
  /** The block's length after normalisation. */
  readonly weight: number;
  readonly root: boolean;
}

const PATCHES = { name: "patches", length: FISHER_LENGTH, weight: 1, root: true };
const COLOURS = { name: "colours", length: histogramLength(COLOUR_BINS), weight: 0.7, root: true };
const BANDS = { name: "bands", length: histogramLength(BAND_BINS), weight: 0.4, root: true };
const EDGES = { name: "edges", length: hogLength(EDGE_BINS), weight: 0.8, root: true };
const SLOPES = { name: "slopes", length: hogLength(SLOPE_BINS), weight: 0.6, root: true };
const PATTERNS = { name: "patterns", length: patternLength(PATTERN_CELLS), weight: 0.3, root: true };
const THUMBNAIL = { name: "thumbnail", length: THUMBNAIL_CELLS ** 2 * 3, weight: 0.3, root: false };
const SHAPE = { name: "shape", length: THUMBNAIL_CELLS ** 2 + 1, weight: 0.4, root: true };

/** The parts of the features, in their order. */
export const BLOCKS: readonly Block[] = [PATCHES, COLOURS, BANDS, EDGES, SLOPES, PATTERNS, THUMBNAIL, SHAPE];
export const FEATURES_LENGTH = Math.ceil(BLOCKS.reduce((sum, { length }) => sum + length, 0) / 4) * 4;

export interface PatchModel {
  readonly compression: PatchCompression;
  readonly vocabulary: Vocabulary;
}

/** Reads the features of a picture. The result is overwritten by the next call. */
export function createFeatureReader({
  compression,
  vocabulary,
}: PatchModel): (raster: Raster) => Float32Array {
  const cutPatches = createPatchCutter();
  const encodeFisher = createFisherEncoder(compression, vocabulary, createKernels(FISHER_CAPACITY));
  const gradients = createGradients(FRAME_SIZE);
  const features = new Float32Array(FEATURES_LENGTH);
  const writers = (frame: Frame): [Block, (out: Float32Array) => void][] => [
    [PATCHES, (out) => encodeFisher(cutPatches(frame), out)],
    [COLOURS, (out) => writeHistogram(frame, COLOUR_BINS, out)],
    [BANDS, (out) => writeHistogram(frame, BAND_BINS, out)],
    [EDGES, (out) => writeHog(gradients, frame.weight, EDGE_BINS, out)],
    [SLOPES, (out) => writeHog(gradients, frame.weight, SLOPE_BINS, out)],
    [PATTERNS, (out) => writePatterns(frame, PATTERN_CELLS, out)],
    [THUMBNAIL, (out) => writeThumbnail(frame, THUMBNAIL_CELLS, out)],
    [SHAPE, (out) => writeShape(frame, THUMBNAIL_CELLS, out)],
  ];
  return (raster) => {
    const image = labFromRaster(raster);
    const frame = frameObject(image, segmentForeground(halfSize(image)), FRAME_SIZE);
    computeGradients(frame.l, gradients);
    let at = 0;
    for (const [block, write] of writers(frame)) {
      const values = features.subarray(at, at + block.length);
      write(values);
      normalise(values, block);
      at += block.length;
    }
    return features;
  };
}

function normalise(values: Float32Array, { weight, root }: Block): void {
  let squares = 1e-12;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (root) values[i] = Math.sign(value) * Math.sqrt(Math.abs(value));
    squares += root ? Math.abs(value) : value * value;
  }
  const scale = weight / Math.sqrt(squares);
  for (let i = 0; i < values.length; i++) values[i] = (values[i] ?? 0) * scale;
}
