import {
  decodeImage,
  decoding,
  halfSize,
  labFromRaster,
  type OpenedImage,
  openImage,
  type Raster,
} from "../image/open-image.ts";
import { readNetwork } from "../learned/learned-encoder.ts";
import type { Box, DetectedObject, VisionModel } from "../vision-model.ts";
import {
  boxOverlap,
  type CellWeights,
  confidenceOf,
  createBoxReader,
  createCellReader,
  joinBoxes,
  viewSide,
} from "./cells.ts";
import { connectedParts, type Foreground, segmentForeground } from "./foreground.ts";

/** Boxes below this confidence are dropped. If none is left, the whole image is returned. */
const unsure = 0.6;

const wholeImage = 0.1;

/** With noise, fields of a coarse grid differ only this little, even if the pixels vary a lot. Photographs differ more. */
const minVariation = 0.12;

const fieldsPerSide = 8;

const cropSide = 1024;

/** From this confidence on, the foreground is exact: at .8, false boxes on clutter were .48 an image instead of .38. */
const clearForeground = 0.95;
/** So far outside a box its sides are looked for in the foreground, as a share of its length. */
const nearShare = 0.3;
/** Boxes that overlap less are of different objects. */
const sameObject = 0.5;
/** A box of the foreground replaces one that overlaps it as much. */
const mostlyRight = 0.25;
/** Of a part of the foreground that gets a box: its least share of the image, of its box, and what it may share with others. */
const [minPart, minCompactness, maxCommon] = [0.01, 0.4, 0.3];
/** From this ratio of width to height on, such a part may be a shadow. */
const flat = 4.5;
/** The share of such parts that were one object, on composed images. */
const clearPart = 0.7;

/**
 * Finds objects, which it does not name. The network takes 24 MB for it, beside those of a model that describes with it:
 * it is loaded with the first image.
 */
export function createDetector(readWeights: () => CellWeights): VisionModel["detect"] {
  let find: ((raster: Raster) => Region[]) | undefined;
  return async (bytes, signal) => {
    const image = await openImage(bytes);
    signal?.throwIfAborted();
    const raster = await decodeImage(image, viewSide);
    const scale = { x: image.width / raster.width, y: image.height / raster.height };
    find ??= createFinder(readWeights());
    return find(raster).map(({ box, confidence }) =>
      detectedObject(image, "object", confidence, {
        x: box.x * scale.x,
        y: box.y * scale.y,
        width: box.width * scale.x,
        height: box.height * scale.y,
      }),
    );
  };
}

export function detectedObject(
  image: OpenedImage,
  name: string,
  confidence: number,
  area: Box,
): DetectedObject {
  const box = wholePixels(area, image);
  return { name, confidence, box, crop: () => cropBox(image, box) };
}

/** The box rounded outwards, inside the image and never empty. */
function wholePixels(area: Box, image: OpenedImage): Box {
  const x = Math.min(image.width - 1, Math.max(0, Math.floor(area.x)));
  const y = Math.min(image.height - 1, Math.max(0, Math.floor(area.y)));
  const right = Math.min(image.width, Math.max(x + 1, Math.ceil(area.x + area.width)));
  const bottom = Math.min(image.height, Math.max(y + 1, Math.ceil(area.y + area.height)));
  return { x, y, width: right - x, height: bottom - y };
}

function cropBox(image: OpenedImage, { x, y, width, height }: Box): Promise<Buffer> {
  const cut = image.pixels().extract({ left: x, top: y, width, height });
  const bounded = cut.resize(cropSide, cropSide, { fit: "inside", withoutEnlargement: true });
  return decoding(() => bounded.jpeg({ quality: 88 }).toBuffer());
}

interface Region {
  readonly box: Box;
  /** The share of boxes with this score that were one object, on composed images. */
  readonly confidence: number;
}

/**
 * The objects, highest confidence first. If none is convincing: the whole image with a low confidence, or nothing if the
 * image is a single colour, an even gradient or noise.
 */
function createFinder(weights: CellWeights): (raster: Raster) => Region[] {
  const readCells = createCellReader(readNetwork());
  const readBoxes = createBoxReader(weights);
  return (raster) => {
    const foreground = segmentForeground(halfSize(labFromRaster(raster)));
    if (variation(foreground) < minVariation) return [];
    const proposed = joinBoxes(readBoxes(readCells(raster)), raster)
      .map(({ box, evidence }) => ({
        box: fitted(box, foreground),
        confidence: confidenceOf(evidence, weights.evidence),
      }))
      .filter(({ confidence }) => confidence >= unsure)
      .sort((a, b) => b.confidence - a.confidence)
      .filter(({ box }, i, all) =>
        all.slice(0, i).every((better) => boxOverlap(better.box, box) < sameObject),
      );
    const regions = [...proposed, ...clearParts(foreground, proposed)];
    const whole = { x: 0, y: 0, width: raster.width, height: raster.height };
    regions.sort((a, b) => b.confidence - a.confidence);
    return regions.length > 0 ? regions : [{ box: whole, confidence: wholeImage }];
  };
}

/** Where the foreground is clear, its edges near the box are exact. */
function fitted(box: Box, foreground: Foreground): Box {
  if (foreground.confidence < clearForeground) return box;
  const { width, height, mask } = foreground;
  const [marginX, marginY] = [box.width * nearShare, box.height * nearShare];
  const first = {
    x: Math.max(0, Math.ceil((box.x - marginX) / 2)),
    y: Math.max(0, Math.ceil((box.y - marginY) / 2)),
  };
  const last = {
    x: Math.min(width, (box.x + box.width + marginX) / 2),
    y: Math.min(height, (box.y + box.height + marginY) / 2),
  };
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = first.y; y < last.y; y++) {
    for (let x = first.x; x < last.x; x++) {
      if ((mask[y * width + x] ?? 0) < 0.5) continue;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y + 1);
    }
  }
  // Where the mask goes on outside, the box ends inside of it.
  if (left <= first.x) left = box.x / 2;
  if (top <= first.y) top = box.y / 2;
  if (right >= last.x) right = (box.x + box.width) / 2;
  if (bottom >= last.y) bottom = (box.y + box.height) / 2;
  const exact = { x: left * 2, y: top * 2, width: (right - left) * 2, height: (bottom - top) * 2 };
  return boxOverlap(exact, box) >= mostlyRight ? exact : box;
}

/**
 * On an even background, parts that stand out are objects, also of a kind that no cell knows. Flat ones may be shadows; one
 * that the image's edge cuts off, is torn or holds other objects is background more often.
 */
function clearParts(
  { width, height, mask, ...foreground }: Foreground,
  regions: readonly Region[],
): Region[] {
  if (foreground.confidence < clearForeground) return [];
  return connectedParts({ width, height, mask })
    .filter(({ box, pixels }) => {
      const isWhole = box.x > 0 && box.y > 0 && box.x + box.width < width && box.y + box.height < height;
      const isCompact = pixels.length >= minCompactness * box.width * box.height;
      return isWhole && isCompact && pixels.length >= minPart * mask.length && box.width < flat * box.height;
    })
    .map(({ box }) => ({ x: 2 * box.x, y: 2 * box.y, width: 2 * box.width, height: 2 * box.height }))
    .filter((part) => regions.every(({ box }) => commonShare(part, box) < maxCommon))
    .map((box) => ({ box, confidence: clearPart }));
}

/** Of the smaller box. */
function commonShare(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return (Math.max(0, width) * Math.max(0, height)) / Math.min(a.width * a.height, b.width * b.height);
}

/** How much the distance to the background differs between fields. */
function variation({ width, height, distance }: Foreground): number {
  const sums = new Float64Array(fieldsPerSide * fieldsPerSide);
  const counts = new Float64Array(fieldsPerSide * fieldsPerSide);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor((y * fieldsPerSide) / height) * fieldsPerSide;
    for (let x = 0; x < width; x++, at++) {
      const field = row + Math.floor((x * fieldsPerSide) / width);
      sums[field] = (sums[field] ?? 0) + (distance[at] ?? 0);
      counts[field] = (counts[field] ?? 0) + 1;
    }
  }
  const means = sums
    .map((sum, field) => sum / Math.max(1, counts[field] ?? 0))
    .filter((_, field) => counts[field] !== 0);
  const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
  return Math.sqrt(means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / means.length);
}
