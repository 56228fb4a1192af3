import { createDescriber } from "../src/built-in-model.ts";
import { histogramLength, writeHistogram } from "../src/descriptor/colour-blocks.ts";
import { rasterSide } from "../src/descriptor/features.ts";
import { type Frame, frameObject } from "../src/descriptor/frame.ts";
import { computeGradients, createGradients } from "../src/descriptor/gradients.ts";
import { frameSize } from "../src/descriptor/patches.ts";
import { hogLength, writeHog } from "../src/descriptor/shape-blocks.ts";
import { descriptorDimensions } from "../src/descriptor/weights-header.ts";
import type { Raster } from "../src/image/decode-image.ts";
import { decodeImage } from "../src/image/decode-image.ts";
import { labFromRaster } from "../src/image/lab.ts";
import type { OpenedImage } from "../src/image/open-image.ts";
import { loadLearnedEncoder } from "../src/learned/learned-encoder.ts";
import { embeddingLength, inputSide } from "../src/learned/network.ts";
import type { TrainedWeights } from "../train/train-weights.ts";

const colourBins = { lightness: 5, chroma: 7 };
const edges = { cells: 8, bins: 9, signed: false };

const histogramDimensions = histogramLength(colourBins);
const hogDimensions = hogLength(edges);

/** The ways of describing an image that are compared, and the length of their vectors. */
export const methodLengths = {
  builtIn: descriptorDimensions,
  small: descriptorDimensions,
  network: embeddingLength,
  histogram: histogramDimensions,
  hog: hogDimensions,
} as const;
export type Method = keyof typeof methodLengths;

/** Describes an image by every method. */
export function createMethods({
  small,
  joining,
}: TrainedWeights): (image: OpenedImage) => Promise<Record<Method, Float32Array>> {
  const encoder = loadLearnedEncoder();
  const describe = createDescriber(small, joining, encoder);
  const describeByBaselines = createBaselines();
  return async (image) => {
    const { small: bySmall, joined } = await describe(image);
    return {
      builtIn: joined,
      small: bySmall,
      network: encoder.encode(await decodeImage(image, inputSide)),
      ...describeByBaselines(await decodeImage(image, rasterSide)),
    };
  };
}

/** The whole image with every pixel weighted equally: a baseline does not detect objects. */
function wholeFrame(raster: Raster): Frame {
  const image = labFromRaster(raster);
  const { width, height } = image;
  const nothing = new Float32Array(width * height);
  const foreground = { width, height, mask: nothing, distance: nothing, threshold: 0, confidence: 0 };
  const frame = frameObject(image, foreground, frameSize);
  return { ...frame, weight: frame.weight.map((weight) => (weight > 0 ? 1 : 0)) };
}

/** Two baselines: colours only, compared by the Hellinger kernel, and edge directions on a grid only. */
function createBaselines() {
  const gradients = createGradients(frameSize);
  return (raster: Raster) => {
    const frame = wholeFrame(raster);
    const histogram = new Float32Array(histogramDimensions);
    writeHistogram(frame, colourBins, histogram);
    computeGradients(frame.l, gradients);
    const hog = new Float32Array(hogDimensions);
    writeHog(gradients, frame.weight, edges, hog);
    return { histogram: rooted(histogram), hog: rooted(hog) };
  };
}

/** Takes square roots, then scales to length 1. */
function rooted(bins: Float32Array): Float32Array {
  const sum = bins.reduce((total, bin) => total + bin, 1e-12);
  return bins.map((bin) => Math.sqrt(bin / sum));
}
