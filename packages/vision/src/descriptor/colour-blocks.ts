import type { Frame, Gradients } from "./frame.ts";

/** Colour statistics read every second pixel of every second row: adjacent pixels are nearly the same. */
const stride = 2;
const vivid = 15;

/** The bins of a colour histogram along each axis of Lab. */
export interface HistogramShape {
  readonly lightness: number;
  readonly chroma: number;
}

export function histogramLength({ lightness, chroma }: HistogramShape): number {
  return lightness * chroma * chroma;
}

/** A weighted Lab histogram; every pixel is distributed over the eight nearest bins. */
export function writeHistogram(frame: Frame, shape: HistogramShape, out: Float32Array): void {
  const { size, l, a, b, weight } = frame;
  const { lightness, chroma } = shape;
  out.fill(0);
  for (let y = 0; y < size; y += stride) {
    for (let at = y * size; at < (y + 1) * size; at += stride) {
      const w = weight[at] ?? 0;
      if (w === 0) continue;
      const tone = Math.min(lightness - 1.0001, Math.max(0, ((l[at] ?? 0) / 100) * (lightness - 1)));
      const red = (squeeze(a[at] ?? 0) * (chroma - 1)) / 2;
      const yellow = (squeeze(b[at] ?? 0) * (chroma - 1)) / 2;
      const toneBin = Math.floor(tone);
      const redBin = Math.floor(red);
      const yellowBin = Math.floor(yellow);
      const u = tone - toneBin;
      const v = red - redBin;
      const t = yellow - yellowBin;
      let bin = (toneBin * chroma + redBin) * chroma + yellowBin;
      add(out, bin, w * (1 - u) * (1 - v), t);
      add(out, bin + chroma, w * (1 - u) * v, t);
      bin += chroma * chroma;
      add(out, bin, w * u * (1 - v), t);
      add(out, bin + chroma, w * u * v, t);
    }
  }
}

/** From 0 to 2, 1 for neutral. Bins are fine for pale colours and coarse for bright ones. */
function squeeze(value: number): number {
  return 1 + value / (28 + Math.abs(value));
}

function add(out: Float32Array, bin: number, value: number, share: number): void {
  out[bin] = (out[bin] ?? 0) + value * (1 - share);
  out[bin + 1] = (out[bin + 1] ?? 0) + value * share;
}

/** How colourful the object is: the mean distance of its pixels from grey, 1 from `VIVID` on. */
export function colourfulness({ a, b, weight }: Frame): number {
  let sum = 0;
  let total = 1e-6;
  for (let at = 0; at < weight.length; at += stride + 1) {
    const w = weight[at] ?? 0;
    const red = a[at] ?? 0;
    const yellow = b[at] ?? 0;
    total += w;
    sum += w * Math.sqrt(red * red + yellow * yellow);
  }
  return Math.min(1, sum / total / vivid);
}

/** Where the object is on a coarse grid, and its width relative to its height. */
export function writeShape({ size, weight, aspect }: Frame, cells: number, out: Float32Array): void {
  const scale = 1 / (size / cells / stride) ** 2;
  out.fill(0);
  for (let y = 0; y < size; y += stride) {
    const row = Math.floor((y * cells) / size) * cells;
    for (let x = 0, at = y * size; x < size; x += stride, at += stride) {
      const cell = row + Math.floor((x * cells) / size);
      out[cell] = (out[cell] ?? 0) + (weight[at] ?? 0) * scale;
    }
  }
  out[cells * cells] = 4 * Math.log(aspect);
}

/** Gradient directions on a grid of cells (Dalal and Triggs, 2005). `signed` tells light-to-dark and dark-to-light apart. */
interface HogShape {
  readonly cells: number;
  readonly bins: number;
  readonly signed: boolean;
}

export function hogLength({ cells, bins }: HogShape): number {
  return cells * cells * bins;
}

/** Every gradient is distributed over two directions and up to four cells, and counts by its weight. */
export function writeHog(
  gradients: Gradients,
  weight: Float32Array,
  shape: HogShape,
  out: Float32Array,
): void {
  const { size, length, turn } = gradients;
  const { cells, bins, signed } = shape;
  const scale = cells / size;
  out.fill(0);
  for (let y = 0, at = 0; y < size; y++) {
    const row = (y + 0.5) * scale - 0.5;
    const top = Math.max(0, Math.floor(row));
    const bottom = Math.min(cells - 1, Math.floor(row) + 1);
    const v = row - Math.floor(row);
    for (let x = 0; x < size; x++, at++) {
      const energy = (length[at] ?? 0) * (weight[at] ?? 0);
      if (energy < 0.5) continue;
      const column = (x + 0.5) * scale - 0.5;
      const left = Math.max(0, Math.floor(column));
      const right = Math.min(cells - 1, Math.floor(column) + 1);
      const u = column - Math.floor(column);
      let direction = (turn[at] ?? 0) * (signed ? 1 : 2);
      direction = (direction - Math.floor(direction)) * bins;
      const bin = Math.floor(direction);
      const next = bin + 1 < bins ? bin + 1 : 0;
      const t = direction - bin;
      share(out, (top * cells + left) * bins, bin, next, energy * (1 - u) * (1 - v), t);
      share(out, (top * cells + right) * bins, bin, next, energy * u * (1 - v), t);
      share(out, (bottom * cells + left) * bins, bin, next, energy * (1 - u) * v, t);
      share(out, (bottom * cells + right) * bins, bin, next, energy * u * v, t);
    }
  }
}

function share(out: Float32Array, cell: number, bin: number, next: number, energy: number, t: number): void {
  out[cell + bin] = (out[cell + bin] ?? 0) + energy * (1 - t);
  out[cell + next] = (out[cell + next] ?? 0) + energy * t;
}
