import type { LabImage } from "../image/lab.ts";
import { type BorderColours, borderColours, lightnessScale } from "./border-colours.ts";
import { borderSlope, distancesToSlope } from "./border-slope.ts";

/** Where the object of an image probably is. */
export interface Foreground {
  readonly width: number;
  readonly height: number;
  /** 0 (background) to 1 (object), one number per pixel. */
  readonly mask: Float32Array;
  /** The distance of each pixel from the background, in multiples of the background's own variation. */
  readonly distance: Float32Array;
  /** The distance at which the mask is one half. */
  readonly threshold: number;
  /** 0 to 1: how reliable the mask is. */
  readonly confidence: number;
}

const minThreshold = 1.2;
const maxThreshold = 4;
/** The more even the border, the lower the threshold may be, even if another part of the image has high contrast. */
const thresholdPerSpread = { base: 1.4, slope: 0.4 };
const noiseFloor = 3;
/** If one even gradient explains this share of the border, it is taken as the whole background. */
const evenBorder = 0.9;
const histogramRange = 10;
const histogramBins = 64;

/** Separates the object from the background, which is estimated from the image's border. */
export function segmentForeground(image: LabImage): Foreground {
  const { width, height } = image;
  const background = borderColours(image);
  const distance = distanceToBackground(image, background);
  const loudest = Math.min(
    maxThreshold,
    thresholdPerSpread.base + thresholdPerSpread.slope * background.spread,
  );
  const threshold = Math.min(loudest, Math.max(minThreshold, otsu(distance)));
  const mask = new Float32Array(distance.length);
  for (let i = 0; i < mask.length; i++) {
    mask[i] = Math.min(1, Math.max(0, ((distance[i] ?? 0) / threshold - 0.6) / 0.8));
  }
  blur(mask, width, height);
  fillHoles(mask, width, height);
  return { width, height, mask, distance, threshold, confidence: confidence(mask, background.spread) };
}

function distanceToBackground(image: LabImage, { clusters }: BorderColours): Float32Array {
  const { l, a, b } = image;
  const slope = borderSlope(image);
  const distance = distancesToSlope(image, slope);
  for (let i = 0; i < distance.length; i++) distance[i] = (distance[i] ?? 0) / (slope.spread + noiseFloor);
  // If the gradient explains the border, single colours are not used: they would hide an object of a similar colour.
  if (slope.explained >= evenBorder) return distance;
  for (let i = 0; i < distance.length; i++) {
    let nearest = Number.POSITIVE_INFINITY;
    for (let at = 0; at < clusters.length; at += 4) {
      const dl = (l[i] ?? 0) * lightnessScale - (clusters[at] ?? 0);
      const da = (a[i] ?? 0) - (clusters[at + 1] ?? 0);
      const db = (b[i] ?? 0) - (clusters[at + 2] ?? 0);
      const scale = (clusters[at + 3] ?? 0) + noiseFloor;
      const squared = (dl * dl + da * da + db * db) / (scale * scale);
      if (squared < nearest) nearest = squared;
    }
    distance[i] = Math.min(Math.sqrt(nearest), distance[i] ?? 0);
  }
  return distance;
}

/** Otsu (1979): the threshold that best separates the values into two groups. */
function otsu(values: Float32Array): number {
  const bins = new Float64Array(histogramBins);
  let sum = 0;
  for (const value of values) {
    const bin = Math.min(histogramBins - 1, Math.floor((value / histogramRange) * histogramBins));
    bins[bin] = (bins[bin] ?? 0) + 1;
    sum += bin;
  }
  let below = 0;
  let sumBelow = 0;
  let best = 0;
  let bestBin = 0;
  for (let bin = 0; bin < histogramBins - 1; bin++) {
    below += bins[bin] ?? 0;
    sumBelow += bin * (bins[bin] ?? 0);
    const above = values.length - below;
    if (below === 0 || above === 0) continue;
    const between = below * above * (sumBelow / below - (sum - sumBelow) / above) ** 2;
    if (between <= best) continue;
    best = between;
    bestBin = bin;
  }
  return ((bestBin + 1) / histogramBins) * histogramRange;
}

/** A 3 × 3 binomial filter in place; the outermost pixels do not change. */
export function blur(plane: Float32Array, width: number, height: number): void {
  let before = 0;
  for (let y = 0; y < height; y++) {
    before = plane[y * width] ?? 0;
    for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
      const here = plane[at] ?? 0;
      plane[at] = (before + 2 * here + (plane[at + 1] ?? 0)) / 4;
      before = here;
    }
  }
  for (let x = 0; x < width; x++) {
    before = plane[x] ?? 0;
    for (let y = 1, at = width + x; y < height - 1; y++, at += width) {
      const here = plane[at] ?? 0;
      plane[at] = (before + 2 * here + (plane[at + width] ?? 0)) / 4;
      before = here;
    }
  }
}

/** Background pixels that are not connected to the image's edge belong to the object. */
function fillHoles(mask: Float32Array, width: number, height: number): void {
  const outside = new Uint8Array(mask.length);
  const queue = new Int32Array(mask.length);
  let length = 0;
  const visit = (at: number) => {
    if (outside[at] === 1 || (mask[at] ?? 0) >= 0.5) return;
    outside[at] = 1;
    queue[length++] = at;
  };
  for (let x = 0; x < width; x++) {
    visit(x);
    visit((height - 1) * width + x);
  }
  for (let y = 0; y < height; y++) {
    visit(y * width);
    visit(y * width + width - 1);
  }
  for (let next = 0; next < length; next++) {
    const at = queue[next] ?? 0;
    const x = at % width;
    if (x > 0) visit(at - 1);
    if (x < width - 1) visit(at + 1);
    if (at >= width) visit(at - width);
    if (at < mask.length - width) visit(at + width);
  }
  for (let i = 0; i < mask.length; i++) if (outside[i] === 0) mask[i] = Math.max(mask[i] ?? 0, 1);
}

/** Low if the border has many colours, or if the mask covers almost nothing or almost everything. */
function confidence(mask: Float32Array, spread: number): number {
  let sum = 0;
  for (const value of mask) sum += value;
  const share = sum / mask.length;
  const calm = Math.min(1, Math.max(0, 1.5 - spread / 12));
  const plausible = Math.min(1, Math.max(0, Math.min(share / 0.06, (0.92 - share) / 0.2)));
  return calm * plausible;
}
