import type { Box } from "../vision-model.ts";
import type { Foreground } from "./foreground.ts";

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
