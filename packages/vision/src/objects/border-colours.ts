import type { LabImage } from "../image/open-image.ts";

/** A few colours that represent the image's border, which is taken as its background. */
export interface BorderColours {
  /** Lightness (scaled), a and b of each colour, then its spread: four numbers per colour. */
  readonly clusters: Float32Array;
  /** Mean distance of border pixels from their colour, in Lab units. */
  readonly spread: number;
}

/** Shadows change the lightness of a background far more than its hue. */
export const lightnessScale = 0.6;
const borderShare = 0.03;
const maxSamples = 800;
const maxClusters = 4;
const minClusterShare = 0.08;
const rounds = 8;

export function borderColours(image: LabImage): BorderColours {
  const samples = borderSamples(image);
  const count = samples.length / 3;
  const centres = farthestSamples(samples);
  const owners = new Uint8Array(count);
  let distances = new Float32Array(count);
  for (let round = 0; round < rounds; round++) {
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
  const step = Math.max(1, border.length / maxSamples);
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
