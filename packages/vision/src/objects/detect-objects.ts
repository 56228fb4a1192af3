import { decodeImage } from "../image/decode-image.ts";
import type { LabImage } from "../image/lab.ts";
import { labFromRaster } from "../image/lab.ts";
import { decoding, type OpenedImage } from "../image/open-image.ts";
import type { Box, DetectedObject } from "../vision-model.ts";
import type { Part } from "./connected-parts.ts";
import { connectedParts, joinNeighbours, withoutShadows } from "./connected-parts.ts";
import type { Foreground } from "./foreground.ts";
import { segmentForeground } from "./foreground.ts";
import { partTouchingThings } from "./part-touching-things.ts";

const minAreaShare = 0.004;

const maxRegions = 20;

/** Regions below this confidence are dropped. If none is left, the whole image is returned. */
const unsure = 0.5;

const wholeImage = 0.1;

/** With noise, fields of a coarse grid differ only this little, even if the pixels vary a lot. Photographs differ more. */
const minVariation = 0.12;

const fieldsPerSide = 8;

/**
 * Logistic regression of "overlaps one composed object by half or more", fitted to the regions of 600 composed images.
 * `pnpm eval vision` prints how well it works on other images.
 */
const evidenceWeights = {
  constant: -5.02,
  trust: 2.52,
  contrast: 0.59,
  compactness: 3.83,
  size: 3.46,
  edges: -1.87,
};

const rasterSide = 200;
const cropSide = 1024;

/** Finds objects that differ from the background, which is estimated from the image's border. It does not name objects. */
export async function detectObjects(image: OpenedImage): Promise<DetectedObject[]> {
  const raster = await decodeImage(image, rasterSide);
  const scale = { x: image.width / raster.width, y: image.height / raster.height };
  return findRegions(labFromRaster(raster)).map(({ box, confidence }) =>
    detectedObject(image, "object", confidence, {
      x: box.x * scale.x,
      y: box.y * scale.y,
      width: box.width * scale.x,
      height: box.height * scale.y,
    }),
  );
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
  /** The share of regions with this score that were one object, on composed images. */
  readonly confidence: number;
}

/**
 * The connected parts of the foreground, highest confidence first. If none is convincing: the whole image with a low
 * confidence, or nothing if the image is a single colour, an even gradient or noise.
 */
function findRegions(image: LabImage): Region[] {
  const foreground = segmentForeground(image);
  const pixels = foreground.mask.length;
  if (variation(foreground) < minVariation) return [];
  const parts = joinNeighbours(connectedParts(foreground));
  const regions = withoutShadows(partTouchingThings(parts, foreground, image))
    .filter(({ area }) => area >= pixels * minAreaShare)
    .map((part) => ({ box: part.box, confidence: confidence(part, foreground) }))
    .filter((region) => region.confidence >= unsure)
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, maxRegions);
  const whole = { x: 0, y: 0, width: image.width, height: image.height };
  return regions.length > 0 ? regions : [{ box: whole, confidence: wholeImage }];
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

function confidence(part: Part, foreground: Foreground): number {
  const { width, height } = foreground;
  const { box, area } = part;
  const edges = [box.x === 0, box.y === 0, box.x + box.width === width, box.y + box.height === height];
  const evidence = {
    constant: 1,
    trust: foreground.confidence,
    contrast: Math.min(1, part.contrast / 6),
    compactness: area / (box.width * box.height),
    size: Math.sqrt((box.width * box.height) / (width * height)),
    edges: edges.filter((touched) => touched).length,
  };
  const weights = evidenceWeights;
  const sum =
    weights.constant +
    weights.trust * evidence.trust +
    weights.contrast * evidence.contrast +
    weights.compactness * evidence.compactness +
    weights.size * evidence.size +
    weights.edges * evidence.edges;
  return 1 / (1 + Math.exp(-sum));
}
