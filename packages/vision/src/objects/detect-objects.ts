import { decodeImage } from "../image/decode-image.ts";
import { labFromRaster } from "../image/lab.ts";
import { decoding, type OpenedImage } from "../image/open-image.ts";
import type { Box, DetectedObject } from "../vision-model.ts";
import { findRegions } from "./find-regions.ts";

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
