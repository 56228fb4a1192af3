import sharp from "sharp";
import { decodeImage } from "../src/image/decode-image.ts";
import { labFromRaster } from "../src/image/lab.ts";
import type { OpenedImage } from "../src/image/open-image.ts";
import { connectedParts } from "../src/objects/connected-parts.ts";
import { segmentForeground } from "../src/objects/foreground.ts";
import type { Box } from "../src/vision-model.ts";

const rasterSide = 256;
const minConfidence = 0.6;
/** Of the image. */
const minArea = 0.06;
/** Of its box: the rest of a torn mask has less. */
const minCompactness = 0.3;
const maxSecondPart = 0.1;

/** An object on a transparent background. */
export interface CutObject {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
}

/** The object of an image that shows a single one on an even background, and its box there; or nothing. */
export async function cutObject(image: OpenedImage): Promise<{ object: CutObject; box: Box } | undefined> {
  const raster = await decodeImage(image, rasterSide);
  const foreground = segmentForeground(labFromRaster(raster));
  const { width, height, mask, confidence } = foreground;
  const [part, second] = connectedParts(foreground).sort((a, b) => b.pixels.length - a.pixels.length);
  if (part === undefined || confidence < minConfidence) return undefined;
  const { box, pixels } = part;
  const isAlone = second === undefined || second.pixels.length <= pixels.length * maxSecondPart;
  if (!isAlone || pixels.length < mask.length * minArea) return undefined;
  const isWhole = box.x > 0 && box.y > 0 && box.x + box.width < width && box.y + box.height < height;
  if (!isWhole || pixels.length < minCompactness * box.width * box.height) return undefined;
  const rgba = Buffer.alloc(mask.length * 4);
  for (const at of pixels) {
    rgba.set(raster.rgb.subarray(at * 3, at * 3 + 3), at * 4);
    rgba[at * 4 + 3] = Math.round(255 * (mask[at] ?? 0));
  }
  const cut = sharp(rgba, { raw: { width, height, channels: 4 } });
  const png = await cut
    .extract({ left: box.x, top: box.y, width: box.width, height: box.height })
    .png()
    .toBuffer();
  const scale = { x: image.width / width, y: image.height / height };
  return {
    object: { png, width: box.width, height: box.height },
    box: {
      x: box.x * scale.x,
      y: box.y * scale.y,
      width: box.width * scale.x,
      height: box.height * scale.y,
    },
  };
}
