import type { LabImage } from "../image/lab.ts";
import { lightnessScale } from "./border-colours.ts";

/** A background whose colour changes evenly across the image: each channel is c + x · u + y · v, with u and v from −1 to 1. */
export interface BorderSlope {
  /** c, x and y of lightness (scaled), then of a, then of b. */
  readonly planes: Float64Array;
  /** Mean distance of the border from it. */
  readonly spread: number;
  /** The share of the border that is near it. */
  readonly explained: number;
}

const rounds = 3;
const maxSamples = 400;
/** In Lab units: a difference that people do not see. */
const nearDistance = 4;

/** Least squares over the outermost pixels. Pixels far off (an object that touches the edge) get less and less weight. */
export function borderSlope(image: LabImage): BorderSlope {
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
export function distancesToSlope(image: LabImage, { planes }: BorderSlope): Float32Array {
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
