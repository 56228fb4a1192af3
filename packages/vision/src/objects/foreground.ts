import type { LabImage } from "../image/open-image.ts";
import type { Box } from "../vision-model.ts";

const rounds = 3;

const maxSamples = 400;

/** In Lab units: a difference that people do not see. */
const nearDistance = 4;

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
/**
 * If one even gradient explains this share of the border, it is taken as the whole background. Single colours of a
 * gradient are greys, for which a grey shirt was taken: false boxes on gradients fell from .195 to .012 an image.
 */
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
  const evenness = Math.min(1, Math.max(0, 1.5 - spread / 12));
  const plausible = Math.min(1, Math.max(0, Math.min(share / 0.06, (0.92 - share) / 0.2)));
  return evenness * plausible;
}

/** A background whose colour changes evenly across the image: each channel is c + x · u + y · v, with u and v from −1 to 1. */
interface BorderSlope {
  /** c, x and y of lightness (scaled), then of a, then of b. */
  readonly planes: Float64Array;
  /** Mean distance of the border from it. */
  readonly spread: number;
  /** The share of the border that is near it. */
  readonly explained: number;
}

/** Least squares over the outermost pixels. Pixels far off (an object that touches the edge) get less and less weight. */
function borderSlope(image: LabImage): BorderSlope {
  const pixels = outermostPixels(image);
  const weights = new Float64Array(pixels.length).fill(1);
  let slope: BorderSlope = { planes: new Float64Array(9), spread: 0, explained: 0 };
  for (let round = 0; round < rounds; round++) {
    slope = fit(image, pixels, weights);
    for (const [i, pixel] of pixels.entries()) {
      const off = distanceTo(slope.planes, image, pixel) / (slope.spread + 1);
      weights[i] = 1 / (1 + off * off * off * off);
    }
  }
  return slope;
}

/** The distance of every pixel, in Lab units with the lightness scaled. */
function distancesToSlope(image: LabImage, { planes }: BorderSlope): Float32Array {
  const distances = new Float32Array(image.l.length);
  for (let pixel = 0; pixel < distances.length; pixel++) distances[pixel] = distanceTo(planes, image, pixel);
  return distances;
}

function distanceTo(planes: Float64Array, { width, height, l, a, b }: LabImage, pixel: number): number {
  const x = pixel % width;
  const u = (2 * x) / Math.max(1, width - 1) - 1;
  const v = (2 * ((pixel - x) / width)) / Math.max(1, height - 1) - 1;
  const dl =
    (l[pixel] ?? 0) * lightnessScale - (planes[0] ?? 0) - (planes[1] ?? 0) * u - (planes[2] ?? 0) * v;
  const da = (a[pixel] ?? 0) - (planes[3] ?? 0) - (planes[4] ?? 0) * u - (planes[5] ?? 0) * v;
  const db = (b[pixel] ?? 0) - (planes[6] ?? 0) - (planes[7] ?? 0) * u - (planes[8] ?? 0) * v;
  return Math.sqrt(dl * dl + da * da + db * db);
}

function outermostPixels({ width, height }: LabImage): number[] {
  const pixels: number[] = [];
  const step = Math.max(1, Math.floor((2 * (width + height)) / maxSamples));
  for (let x = 0; x < width; x += step) pixels.push(x, (height - 1) * width + x);
  for (let y = 0; y < height; y += step) pixels.push(y * width, y * width + width - 1);
  return pixels;
}

function fit(image: LabImage, pixels: readonly number[], weights: Float64Array): BorderSlope {
  const { width, height, l, a, b } = image;
  const normal = new Float64Array(6);
  const right = new Float64Array(9);
  for (const [i, pixel] of pixels.entries()) {
    const w = weights[i] ?? 0;
    const u = (2 * (pixel % width)) / Math.max(1, width - 1) - 1;
    const v = (2 * Math.floor(pixel / width)) / Math.max(1, height - 1) - 1;
    for (const [at, value] of [1, u, v, u * u, u * v, v * v].entries())
      normal[at] = (normal[at] ?? 0) + w * value;
    for (const [channel, value] of [
      (l[pixel] ?? 0) * lightnessScale,
      a[pixel] ?? 0,
      b[pixel] ?? 0,
    ].entries()) {
      right[channel * 3] = (right[channel * 3] ?? 0) + w * value;
      right[channel * 3 + 1] = (right[channel * 3 + 1] ?? 0) + w * value * u;
      right[channel * 3 + 2] = (right[channel * 3 + 2] ?? 0) + w * value * v;
    }
  }
  const planes = new Float64Array(9);
  for (let channel = 0; channel < 9; channel += 3)
    planes.set(solve(normal, right.subarray(channel, channel + 3)), channel);
  let off = 0;
  let total = 0;
  for (const [i, pixel] of pixels.entries()) {
    off += (weights[i] ?? 0) * distanceTo(planes, image, pixel);
    total += weights[i] ?? 0;
  }
  const spread = off / total;
  const near = pixels.filter((pixel) => distanceTo(planes, image, pixel) < nearDistance + 2 * spread);
  return { planes, spread, explained: near.length / pixels.length };
}

/** Cramer's rule for the symmetric system [[n0 n1 n2] [n1 n3 n4] [n2 n4 n5]], with a small term on its diagonal. */
function solve(normal: Float64Array, [p = 0, q = 0, r = 0]: Float64Array): [number, number, number] {
  const [n0 = 0, n1 = 0, n2 = 0, n3 = 0, n4 = 0, n5 = 0] = normal;
  const ridge = 1e-6 * n0;
  const [a, d, f] = [n0 + ridge, n3 + ridge, n5 + ridge];
  const determinant = a * (d * f - n4 * n4) - n1 * (n1 * f - n4 * n2) + n2 * (n1 * n4 - d * n2);
  return [
    (p * (d * f - n4 * n4) - n1 * (q * f - n4 * r) + n2 * (q * n4 - d * r)) / determinant,
    (a * (q * f - n4 * r) - p * (n1 * f - n4 * n2) + n2 * (n1 * r - q * n2)) / determinant,
    (a * (d * r - q * n4) - n1 * (n1 * r - q * n2) + p * (n1 * n4 - d * n2)) / determinant,
  ];
}

const minPartShare = 0.0004;
const core = 0.5;

/** Connected pixels of the foreground. */
interface Part {
  readonly box: Box;
  /** The indices of its pixels. */
  readonly pixels: Int32Array;
}

type Mask = Pick<Foreground, "width" | "height" | "mask">;

export function connectedParts(foreground: Mask): Part[] {
  const seen = new Uint8Array(foreground.mask.length);
  const queue = new Int32Array(foreground.mask.length);
  const parts: Part[] = [];
  for (let start = 0; start < seen.length; start++) {
    if (seen[start] === 1 || (foreground.mask[start] ?? 0) < core) continue;
    const pixels = growPart(foreground, start, seen, queue);
    if (pixels.length >= seen.length * minPartShare) parts.push({ box: boxOf(pixels, foreground), pixels });
  }
  return parts;
}

function growPart(foreground: Mask, start: number, seen: Uint8Array, queue: Int32Array): Int32Array {
  const { width, height, mask } = foreground;
  let length = 0;
  const visit = (at: number) => {
    if (seen[at] === 1 || (mask[at] ?? 0) < core) return;
    seen[at] = 1;
    queue[length++] = at;
  };
  visit(start);
  for (let next = 0; next < length; next++) {
    const at = queue[next] ?? 0;
    const x = at % width;
    const y = (at - x) / width;
    if (x > 0) visit(at - 1);
    if (x < width - 1) visit(at + 1);
    if (y > 0) visit(at - width);
    if (y < height - 1) visit(at + width);
  }
  return queue.slice(0, length);
}

function boxOf(pixels: Int32Array, { width, height }: Mask): Box {
  let [left, right, top, bottom] = [width, 0, height, 0];
  for (const at of pixels) {
    const x = at % width;
    const y = (at - x) / width;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** A few colours that represent the image's border, which is taken as its background. */
interface BorderColours {
  /** Lightness (scaled), a and b of each colour, then its spread: four numbers per colour. */
  readonly clusters: Float32Array;
  /** Mean distance of border pixels from their colour, in Lab units. */
  readonly spread: number;
}

/** Shadows change the lightness of a background far more than its hue. */
const lightnessScale = 0.6;
const borderShare = 0.03;
const maxBorderSamples = 800;
const maxClusters = 4;
const minClusterShare = 0.08;
const borderRounds = 8;

function borderColours(image: LabImage): BorderColours {
  const samples = borderSamples(image);
  const count = samples.length / 3;
  const centres = farthestSamples(samples);
  const owners = new Uint8Array(count);
  let distances = new Float32Array(count);
  for (let round = 0; round < borderRounds; round++) {
    distances = assign(samples, centres, owners);
    moveCentres(samples, centres, owners);
  }
  const clusters: number[] = [];
  let total = 0;
  for (const distance of distances) total += distance;
  for (let cluster = 0; cluster < maxClusters; cluster++) {
    let members = 0;
    let squares = 0;
    for (let i = 0; i < count; i++) {
      if (owners[i] !== cluster) continue;
      members++;
      squares += (distances[i] ?? 0) ** 2;
    }
    if (members < count * minClusterShare) continue;
    clusters.push(...centres.subarray(cluster * 3, cluster * 3 + 3), Math.sqrt(squares / members));
  }
  return { clusters: Float32Array.from(clusters), spread: total / count };
}

/** Evenly spaced pixels of the frame around the image. */
function borderSamples({ width, height, l, a, b }: LabImage): Float32Array {
  const depth = Math.max(1, Math.round(Math.min(width, height) * borderShare));
  const border: number[] = [];
  for (let y = 0; y < height; y++) {
    const wholeRow = y < depth || y >= height - depth;
    for (let x = 0; x < width; x++) {
      if (!wholeRow && x === depth && width > 2 * depth) x = width - depth;
      border.push(y * width + x);
    }
  }
  const step = Math.max(1, border.length / maxBorderSamples);
  const count = Math.floor(border.length / step);
  const samples = new Float32Array(count * 3);
  for (let i = 0; i < count; i++) {
    const pixel = border[Math.floor(i * step)] ?? 0;
    samples[i * 3] = (l[pixel] ?? 0) * lightnessScale;
    samples[i * 3 + 1] = a[pixel] ?? 0;
    samples[i * 3 + 2] = b[pixel] ?? 0;
  }
  return samples;
}

/** Deterministic k-means seeds: the mean itself, then each time the colour farthest from all seeds. */
function farthestSamples(samples: Float32Array): Float32Array {
  const count = samples.length / 3;
  const centres = new Float32Array(maxClusters * 3);
  for (let i = 0; i < samples.length; i++) centres[i % 3] = (centres[i % 3] ?? 0) + (samples[i] ?? 0) / count;
  const nearest = new Float32Array(count).fill(Number.POSITIVE_INFINITY);
  for (let cluster = 1; cluster < maxClusters; cluster++) {
    let farthest = 0;
    for (let i = 0; i < count; i++) {
      const distance = squaredDistance(samples, i * 3, centres, (cluster - 1) * 3);
      if (distance < (nearest[i] ?? 0)) nearest[i] = distance;
      if ((nearest[i] ?? 0) > (nearest[farthest] ?? 0)) farthest = i;
    }
    centres.set(samples.subarray(farthest * 3, farthest * 3 + 3), cluster * 3);
  }
  return centres;
}

function assign(samples: Float32Array, centres: Float32Array, owners: Uint8Array): Float32Array<ArrayBuffer> {
  const distances = new Float32Array(owners.length);
  for (let i = 0; i < owners.length; i++) {
    let best = Number.POSITIVE_INFINITY;
    for (let cluster = 0; cluster < maxClusters; cluster++) {
      const distance = squaredDistance(samples, i * 3, centres, cluster * 3);
      if (distance >= best) continue;
      best = distance;
      owners[i] = cluster;
    }
    distances[i] = Math.sqrt(best);
  }
  return distances;
}

function moveCentres(samples: Float32Array, centres: Float32Array, owners: Uint8Array): void {
  const sums = new Float64Array(maxClusters * 4);
  for (let i = 0; i < owners.length; i++) {
    const at = (owners[i] ?? 0) * 4;
    for (let axis = 0; axis < 3; axis++)
      sums[at + axis] = (sums[at + axis] ?? 0) + (samples[i * 3 + axis] ?? 0);
    sums[at + 3] = (sums[at + 3] ?? 0) + 1;
  }
  for (let cluster = 0; cluster < maxClusters; cluster++) {
    const members = sums[cluster * 4 + 3] ?? 0;
    if (members === 0) continue;
    for (let axis = 0; axis < 3; axis++)
      centres[cluster * 3 + axis] = (sums[cluster * 4 + axis] ?? 0) / members;
  }
}

function squaredDistance(left: Float32Array, at: number, right: Float32Array, to: number): number {
  const l = (left[at] ?? 0) - (right[to] ?? 0);
  const a = (left[at + 1] ?? 0) - (right[to + 1] ?? 0);
  const b = (left[at + 2] ?? 0) - (right[to + 2] ?? 0);
  return l * l + a * a + b * b;
}
