import type { Frame } from "./frame.ts";

/** Colour statistics read every second pixel of every second row: neighbours tell nearly the same. */
const STRIDE = 2;

/** The bins of a colour histogram; `bands` horizontal stripes have one each. */
export interface HistogramShape {
  readonly lightness: number;
  readonly chroma: number;
  readonly bands: number;
}

export function histogramLength({ lightness, chroma, bands }: HistogramShape): number {
  return lightness * chroma * chroma * bands;
}

/** A weighted Lab histogram; every pixel is shared between the eight bins around it. */
export function writeHistogram(frame: Frame, shape: HistogramShape, out: Float32Array): void {
  const { size, l, a, b, weight } = frame;
  const { lightness, chroma, bands } = shape;
  out.fill(0);
  for (let y = 0; y < size; y += STRIDE) {
    const band = Math.floor((y / size) * bands) * lightness * chroma * chroma;
    for (let at = y * size; at < (y + 1) * size; at += STRIDE) {
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
      let bin = band + (toneBin * chroma + redBin) * chroma + yellowBin;
      add(out, bin, w * (1 - u) * (1 - v), t);
      add(out, bin + chroma, w * (1 - u) * v, t);
      bin += chroma * chroma;
      add(out, bin, w * u * (1 - v), t);
      add(out, bin + chroma, w * u * v, t);
    }
  }
}

/** From 0 to 2, 1 for neutral: fine bins for pale colours, coarse ones for bright colours. */
function squeeze(value: number): number {
  return 1 + (value * 1.4) / (28 + Math.abs(value)) / 1.4;
}

function add(out: Float32Array, bin: number, value: number, share: number): void {
  out[bin] = (out[bin] ?? 0) + value * (1 - share);
  out[bin + 1] = (out[bin + 1] ?? 0) + value * share;
}

/** Mean colour (L, a, b) of the object on a coarse grid. */
export function writeThumbnail(frame: Frame, cells: number, out: Float32Array): void {
  const { size, l, a, b, weight } = frame;
  const scale = 1 / (size / cells / STRIDE) ** 2;
  out.fill(0);
  for (let y = 0; y < size; y += STRIDE) {
    const row = Math.floor((y * cells) / size) * cells;
    for (let x = 0, at = y * size; x < size; x += STRIDE, at += STRIDE) {
      const cell = (row + Math.floor((x * cells) / size)) * 3;
      const w = (weight[at] ?? 0) * scale;
      out[cell] = (out[cell] ?? 0) + w * ((l[at] ?? 0) - 50);
      out[cell + 1] = (out[cell + 1] ?? 0) + w * (a[at] ?? 0);
      out[cell + 2] = (out[cell + 2] ?? 0) + w * (b[at] ?? 0);
    }
  }
}

/** Where the object lies on a coarse grid, and how wide it is for its height. */
export function writeShape({ size, weight, aspect }: Frame, cells: number, out: Float32Array): void {
  const scale = 1 / (size / cells / STRIDE) ** 2;
  out.fill(0);
  for (let y = 0; y < size; y += STRIDE) {
    const row = Math.floor((y * cells) / size) * cells;
    for (let x = 0, at = y * size; x < size; x += STRIDE, at += STRIDE) {
      const cell = row + Math.floor((x * cells) / size);
      out[cell] = (out[cell] ?? 0) + (weight[at] ?? 0) * scale;
    }
  }
  out[cells * cells] = 4 * Math.log(aspect);
}
