import { type Foreground, segmentForeground } from "./foreground.ts";
import type { LabImage } from "./lab.ts";
import type { Box } from "./vision-model.ts";

export interface Region {
  readonly box: Box;
  /** The region's score, brought to the share of such regions that are one object. */
  readonly confidence: number;
}

const MIN_AREA_SHARE = 0.004;
const MAX_REGIONS = 20;
const CORE = 0.5;

/** The connected parts of the foreground, the surest first. */
export function findRegions(image: LabImage): Region[] {
  const foreground = segmentForeground(image);
  const regions: Region[] = [];
  const seen = new Uint8Array(foreground.mask.length);
  const queue = new Int32Array(foreground.mask.length);
  for (let start = 0; start < seen.length; start++) {
    if (seen[start] === 1 || (foreground.mask[start] ?? 0) < CORE) continue;
    const part = growPart(foreground, start, seen, queue);
    if (part.area < seen.length * MIN_AREA_SHARE) continue;
    regions.push({ box: part.box, confidence: score(part, foreground) });
  }
  return regions.sort((a, b) => b.confidence - a.confidence).slice(0, MAX_REGIONS);
}

interface Part {
  readonly area: number;
  readonly box: Box;
  readonly contrast: number;
}

function growPart(
  { width, height, mask, distance }: Foreground,
  start: number,
  seen: Uint8Array,
  queue: Int32Array,
): Part {
  let length = 0;
  let left = width;
  let right = 0;
  let top = height;
  let bottom = 0;
  let contrast = 0;
  const visit = (at: number) => {
    if (seen[at] === 1 || (mask[at] ?? 0) < CORE) return;
    seen[at] = 1;
    queue[length++] = at;
  };
  visit(start);
  for (let next = 0; next < length; next++) {
    const at = queue[next] ?? 0;
    const x = at % width;
    const y = (at - x) / width;
    contrast += distance[at] ?? 0;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
    if (x > 0) visit(at - 1);
    if (x < width - 1) visit(at + 1);
    if (y > 0) visit(at - width);
    if (y < height - 1) visit(at + width);
  }
  const box = { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  return { area: length, box, contrast: contrast / length };
}

/** Contrast with the background, compactness, and trust in the segmentation as a whole. */
function score({ area, box, contrast }: Part, { confidence }: Foreground): number {
  const compactness = area / (box.width * box.height);
  const clear = Math.min(1, contrast / 6);
  return confidence * clear * Math.sqrt(compactness);
}
