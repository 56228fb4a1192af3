import { decoding, type OpenedImage } from "./open-image.ts";

/** A small upright copy of a picture: three bytes (red, green, blue) a pixel, row by row. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** Decodes a picture so that its longer side has `side` pixels. */
export async function decodeImage(image: OpenedImage, side: number): Promise<Raster> {
  const scale = side / Math.max(image.width, image.height);
  const width = Math.max(1, Math.round(image.width * scale));
  const height = Math.max(1, Math.round(image.height * scale));
  const { data, info } = await decoding(() =>
    image
      .pixels()
      .resize(width, height, { fit: "fill", kernel: "linear", fastShrinkOnLoad: true })
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true }),
  );
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return {
    width: info.width,
    height: info.height,
    rgb: info.channels === 3 ? bytes : widen(bytes, info.channels),
  };
}

/** Greyscale pictures decode to one channel. */
function widen(bytes: Uint8Array, channels: number): Uint8Array {
  const pixels = bytes.length / channels;
  const rgb = new Uint8Array(pixels * 3);
  for (let pixel = 0; pixel < pixels; pixel++)
    rgb.fill(bytes[pixel * channels] ?? 0, pixel * 3, pixel * 3 + 3);
  return rgb;
}
