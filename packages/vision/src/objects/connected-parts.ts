import type { Box } from "../vision-model.ts";
import type { Foreground } from "./foreground.ts";

const minPartShare = 0.0004;
/** A part that is this much smaller than its neighbour, and this close to it in pixels, is joined to it. */
const smallShare = 0.2;
const near = 3;
const core = 0.5;
/** From this ratio of width to height on, a part is a streak. */
const flatAspect = 4.5;

/** Connected pixels of the foreground. */
export interface Part {
  readonly area: number;
  readonly box: Box;
  /** Mean distance to the background. */
  readonly contrast: number;
  /** The indices of its pixels, row by row. */
  readonly pixels: Int32Array;
}

export function connectedParts(foreground: Foreground): Part[] {
  const seen = new Uint8Array(foreground.mask.length);
  const queue = new Int32Array(foreground.mask.length);
  const parts: Part[] = [];
  for (let start = 0; start < seen.length; start++) {
    if (seen[start] === 1 || (foreground.mask[start] ?? 0) < core) continue;
    const part = growPart(foreground, start, seen, queue);
    if (part.area >= seen.length * minPartShare) parts.push(part);
  }
  return parts;
}

function growPart(foreground: Foreground, start: number, seen: Uint8Array, queue: Int32Array): Part {
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
  return partOf(foreground, queue.slice(0, length));
}

/** These pixels as one part. */
export function partOf({ width, height, distance }: Foreground, pixels: Int32Array): Part {
  let left = width;
  let right = 0;
  let top = height;
  let bottom = 0;
  let contrast = 0;
  for (const at of pixels) {
    const x = at % width;
    const y = (at - x) / width;
    contrast += distance[at] ?? 0;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  const box = { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  return { area: pixels.length, box, contrast: contrast / pixels.length, pixels };
}

/** Lettering and handles can be separate parts. Each small part joins a larger one that it nearly touches. */
export function joinNeighbours(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts.toSorted((a, b) => b.area - a.area)) {
    const host = joined.findIndex(
      ({ area, box }) => part.area < area * smallShare && gap(part.box, box) <= near,
    );
    const other = joined[host];
    if (other === undefined) joined.push(part);
    else joined[host] = union(part, other);
  }
  return joined;
}

/** A flat streak directly under a part several times its size is the shadow of that part. */
export function withoutShadows(parts: readonly Part[]): Part[] {
  return parts.filter(
    ({ area, box }) =>
      box.width < flatAspect * box.height ||
      !parts.some((other) => other.area > area * 3 && isUnder(box, other.box)),
  );
}

function isUnder(lower: Box, upper: Box): boolean {
  const besides = lower.x > upper.x + upper.width || lower.x + lower.width < upper.x;
  return !besides && lower.y > upper.y + upper.height * 0.8;
}

function gap(a: Box, b: Box): number {
  const x = Math.max(a.x, b.x) - Math.min(a.x + a.width, b.x + b.width);
  const y = Math.max(a.y, b.y) - Math.min(a.y + a.height, b.y + b.height);
  return Math.max(x, y);
}

function union(a: Part, b: Part): Part {
  const x = Math.min(a.box.x, b.box.x);
  const y = Math.min(a.box.y, b.box.y);
  const width = Math.max(a.box.x + a.box.width, b.box.x + b.box.width) - x;
  const height = Math.max(a.box.y + a.box.height, b.box.y + b.box.height) - y;
  const area = a.area + b.area;
  const contrast = (a.contrast * a.area + b.contrast * b.area) / area;
  const pixels = new Int32Array(area);
  pixels.set(a.pixels);
  pixels.set(b.pixels, a.area);
  return { area, box: { x, y, width, height }, contrast, pixels };
}
