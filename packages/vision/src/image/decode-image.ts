import { decoding, type OpenedImage } from "./open-image.ts";

/** A small upright copy of an image: three bytes (red, green, blue) per pixel, row by row. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** Decodes an image so that its longer side has `side` pixels. */
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
    rgb: threeChannels(bytes, info.channels),
  };
}

/** Greyscale images decode to one channel. */
export function threeChannels(bytes: Uint8Array, channels: number): Uint8Array {
  if (channels === 3) return bytes;
  const rgb = new Uint8Array((bytes.length / channels) * 3);
  for (let i = 0; i < rgb.length; i++) rgb[i] = bytes[Math.floor(i / 3) * channels] ?? 0;
  return rgb;
}
