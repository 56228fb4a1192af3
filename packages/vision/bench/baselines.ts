import { histogramLength, writeHistogram } from "../src/descriptor/colour-blocks.ts";
import { type Frame, frameObject } from "../src/descriptor/frame.ts";
import { computeGradients, createGradients } from "../src/descriptor/gradients.ts";
import { frameSize } from "../src/descriptor/patches.ts";
import { hogLength, writeHog } from "../src/descriptor/shape-blocks.ts";
import type { Raster } from "../src/image/decode-image.ts";
import { labFromRaster } from "../src/image/lab.ts";

const colourBins = { lightness: 5, chroma: 7 };
const edges = { cells: 8, bins: 9, signed: false };

export const histogramDimensions = histogramLength(colourBins);
export const hogDimensions = hogLength(edges);

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
export function createBaselines() {
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
