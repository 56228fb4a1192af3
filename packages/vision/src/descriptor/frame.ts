import type { LabImage } from "../image/open-image.ts";
import type { Foreground } from "../objects/foreground.ts";
import type { Box } from "../vision-model.ts";

/** The object of an image, scaled to one size: a square with the object in its middle. */
export interface Frame {
  readonly size: number;
  readonly l: Float32Array;
  readonly a: Float32Array;
  readonly b: Float32Array;
  /** 0 to 1: the weight of each pixel. */
  readonly weight: Float32Array;
  /** Width over height of the object's box. */
  readonly aspect: number;
}

const trustedConfidence = 0.25;
const marginShare = 0.04;

export function frameObject(image: LabImage, foreground: Foreground, size: number): Frame {
  const { confidence } = foreground;
  const box =
    confidence > trustedConfidence
      ? objectBox(foreground)
      : { x: 0, y: 0, width: foreground.width, height: foreground.height };
  const scale = image.width / foreground.width;
  const side = Math.max(box.width, box.height);
  const left = box.x + (box.width - side) / 2;
  const top = box.y + (box.height - side) / 2;
  const step = side / size;
  const planes = {
    l: new Float32Array(size * size),
    a: new Float32Array(size * size),
    b: new Float32Array(size * size),
  };
  const weight = new Float32Array(size * size);
  for (let y = 0, at = 0; y < size; y++) {
    const maskY = top + (y + 0.5) * step;
    const inY = maskY >= 0 && maskY < foreground.height;
    for (let x = 0; x < size; x++, at++) {
      const maskX = left + (x + 0.5) * step;
      samplePlanes(image, maskX * scale - 0.5, maskY * scale - 0.5, planes, at);
      if (!inY || maskX < 0 || maskX >= foreground.width) continue;
      const mask = samplePlane(
        foreground.mask,
        foreground.width,
        foreground.height,
        maskX - 0.5,
        maskY - 0.5,
      );
      const dx = (x + 0.5) / size - 0.5;
      const dy = (y + 0.5) / size - 0.5;
      weight[at] = confidence * mask + (1 - confidence) * Math.exp(-(dx * dx + dy * dy) * 6);
    }
  }
  return { size, ...planes, weight, aspect: box.width / box.height };
}

/** The 1 to 99 % quantiles of the mask along both axes, and a margin. */
export function objectBox({ width, height, mask }: Foreground): Box {
  const columns = new Float64Array(width);
  const rows = new Float64Array(height);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const value = mask[at] ?? 0;
      columns[x] = (columns[x] ?? 0) + value;
      rows[y] = (rows[y] ?? 0) + value;
    }
  }
  const [left, right] = quantiles(columns);
  const [top, bottom] = quantiles(rows);
  const x = Math.max(0, left - marginShare * width);
  const y = Math.max(0, top - marginShare * height);
  return {
    x,
    y,
    width: Math.min(width, right + marginShare * width) - x,
    height: Math.min(height, bottom + marginShare * height) - y,
  };
}

function quantiles(sums: Float64Array): [first: number, last: number] {
  let total = 0;
  for (const sum of sums) total += sum;
  let first = 0;
  let last = sums.length - 1;
  for (let sum = sums[first] ?? 0; sum < total * 0.01 && first < last; sum += sums[first] ?? 0) first++;
  for (let sum = sums[last] ?? 0; sum < total * 0.01 && last > first; sum += sums[last] ?? 0) last--;
  return [first, last + 1];
}

/** Bilinear, with the edge pixels repeated outwards. The weights are computed once for all planes. */
function samplePlanes(
  { width, height, l, a, b }: LabImage,
  x: number,
  y: number,
  out: { l: Float32Array; a: Float32Array; b: Float32Array },
  at: number,
): void {
  const left = Math.min(width - 1, Math.max(0, Math.floor(x)));
  const top = Math.min(height - 1, Math.max(0, Math.floor(y)));
  const right = Math.min(width - 1, left + 1);
  const bottom = Math.min(height - 1, top + 1);
  const u = Math.min(1, Math.max(0, x - left));
  const v = Math.min(1, Math.max(0, y - top));
  const i = top * width + left;
  const j = top * width + right;
  const k = bottom * width + left;
  const m = bottom * width + right;
  const wi = (1 - u) * (1 - v);
  const wj = u * (1 - v);
  const wk = (1 - u) * v;
  const wm = u * v;
  out.l[at] = wi * (l[i] ?? 0) + wj * (l[j] ?? 0) + wk * (l[k] ?? 0) + wm * (l[m] ?? 0);
  out.a[at] = wi * (a[i] ?? 0) + wj * (a[j] ?? 0) + wk * (a[k] ?? 0) + wm * (a[m] ?? 0);
  out.b[at] = wi * (b[i] ?? 0) + wj * (b[j] ?? 0) + wk * (b[k] ?? 0) + wm * (b[m] ?? 0);
}

function samplePlane(plane: Float32Array, width: number, height: number, x: number, y: number): number {
  const left = Math.min(width - 1, Math.max(0, Math.floor(x)));
  const top = Math.min(height - 1, Math.max(0, Math.floor(y)));
  const right = Math.min(width - 1, left + 1);
  const bottom = Math.min(height - 1, top + 1);
  const u = Math.min(1, Math.max(0, x - left));
  const v = Math.min(1, Math.max(0, y - top));
  const above = (plane[top * width + left] ?? 0) * (1 - u) + (plane[top * width + right] ?? 0) * u;
  const under = (plane[bottom * width + left] ?? 0) * (1 - u) + (plane[bottom * width + right] ?? 0) * u;
  return above * (1 - v) + under * v;
}

/** The gradient of a square plane: its length, and its direction in turns from 0 to 1. */
export interface Gradients {
  readonly size: number;
  readonly length: Float32Array;
  readonly turn: Float32Array;
}

export function createGradients(size: number): Gradients {
  return { size, length: new Float32Array(size * size), turn: new Float32Array(size * size) };
}

/** Central differences, with the edge pixels repeated outwards. */
export function computeGradients(plane: Float32Array, { size, length, turn }: Gradients): void {
  for (let y = 0, at = 0; y < size; y++) {
    const up = y > 0 ? -size : 0;
    const down = y < size - 1 ? size : 0;
    for (let x = 0; x < size; x++, at++) {
      const dx = (plane[x < size - 1 ? at + 1 : at] ?? 0) - (plane[x > 0 ? at - 1 : at] ?? 0);
      const dy = (plane[at + down] ?? 0) - (plane[at + up] ?? 0);
      length[at] = Math.sqrt(dx * dx + dy * dy);
      turn[at] = turnOf(dx, dy);
    }
  }
}

/** atan2 in turns by a polynomial over one octant: accurate to 0.0002 turns, and several times as fast. */
function turnOf(dx: number, dy: number): number {
  const x = Math.abs(dx);
  const y = Math.abs(dy);
  const high = Math.max(x, y);
  if (high === 0) return 0;
  const ratio = Math.min(x, y) / high;
  const square = ratio * ratio;
  let angle = ratio * (0.1589 + square * (-0.0513 + square * (0.0258 - square * 0.0084)));
  if (y > x) angle = 0.25 - angle;
  if (dx < 0) angle = 0.5 - angle;
  return dy < 0 ? Math.min(1 - angle, 0.999999) : angle;
}
