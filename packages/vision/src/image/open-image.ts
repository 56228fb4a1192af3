import type { Metadata, Sharp } from "sharp";
import sharp from "sharp";
import { ImageTooLargeError, InvalidImageError } from "../vision-model.ts";

export const maxPixels = 25_000_000;
const decodeSeconds = 20;

// Many images are decoded in parallel; several threads per image would only compete for the same cores.
sharp.concurrency(1);

/** An image whose header was read and accepted. Nothing is decoded yet. */
export interface OpenedImage {
  /** Size of the upright image, in pixels. */
  readonly width: number;
  readonly height: number;
  /** A new decoder of the first frame, upright: 8 bit sRGB on white. */
  pixels(): Sharp;
}

export async function openImage(bytes: Uint8Array): Promise<OpenedImage> {
  if (imageFormat(bytes) === undefined) {
    throw new InvalidImageError("The image is not a JPEG, PNG, WebP, AVIF or GIF file; send one of these.");
  }
  const { autoOrient } = await decoding(() => readHeader(bytes));
  const { width, height } = autoOrient;
  if (width * height > maxPixels) {
    throw new ImageTooLargeError(
      `The image has ${width} × ${height} pixels; at most ${maxPixels / 1e6} million are allowed. Scale it down.`,
    );
  }
  const pixels = () =>
    sharp(bytes, { limitInputPixels: maxPixels, failOn: "error", sequentialRead: true, pages: 1 })
      .timeout({ seconds: decodeSeconds })
      .autoOrient()
      .flatten({ background: "#ffffff" })
      .toColourspace("srgb");
  return { width, height, pixels };
}

/** Reading the header needs no limit: it allocates no pixels. The limit's own error would not contain the size. */
function readHeader(bytes: Uint8Array): Promise<Metadata> {
  return sharp(bytes, { limitInputPixels: false, pages: 1 }).metadata();
}

/** Runs a decoder and turns its error about the bytes into an `InvalidImageError`. */
export async function decoding<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw new InvalidImageError(
      "The image is damaged or incomplete and cannot be decoded; send an intact file.",
      {
        cause,
      },
    );
  }
}

type ImageFormat = "jpeg" | "png" | "webp" | "avif" | "gif";

/**
 * The format that the first bytes indicate. It is checked before any decoder runs, so that SVG, PDF and other formats that
 * can refer to files or hosts never reach the decoder, even in a file that is valid in two formats.
 */
function imageFormat(bytes: Uint8Array): ImageFormat | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return "jpeg";
  const head = Buffer.from(bytes.subarray(0, 64)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "gif";
  if (head.startsWith("RIFF") && head.startsWith("WEBP", 8)) return "webp";
  return isAvif(head) ? "avif" : undefined;
}

/** ISO 23008-12: a `ftyp` box comes first. Its major brand, or one of the compatible brands after it, indicates AVIF. */
function isAvif(head: string): boolean {
  if (!head.startsWith("ftyp", 4)) return false;
  const length = Math.min(head.length, (head.charCodeAt(2) << 8) | head.charCodeAt(3));
  for (let at = 8; at + 4 <= length; at += 4) {
    if (at !== 12 && (head.startsWith("avif", at) || head.startsWith("avis", at))) return true;
  }
  return false;
}

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

/** Half the width and height, each pixel the mean of four. */
export function halfSize({ width, height, l, a, b }: LabImage): LabImage {
  const half = { width: Math.max(1, width >> 1), height: Math.max(1, height >> 1) };
  const shrink = (plane: Float32Array) => {
    const out = new Float32Array(half.width * half.height);
    const right = width > 1 ? 1 : 0;
    const down = height > 1 ? width : 0;
    for (let y = 0, to = 0; y < half.height; y++) {
      for (let x = 0, at = 2 * y * width; x < half.width; x++, to++, at += 2) {
        out[to] =
          ((plane[at] ?? 0) +
            (plane[at + right] ?? 0) +
            (plane[at + down] ?? 0) +
            (plane[at + down + right] ?? 0)) /
          4;
      }
    }
    return out;
  };
  return { ...half, l: shrink(l), a: shrink(a), b: shrink(b) };
}

/** An image in CIE L*a*b* (D65): three planes, row by row. */
export interface LabImage {
  readonly width: number;
  readonly height: number;
  readonly l: Float32Array;
  readonly a: Float32Array;
  readonly b: Float32Array;
}

const curveSteps = 4096;
const linearTable = Float32Array.from({ length: 256 }, (_, value) => linearLight(value / 255));
const curve = Float32Array.from({ length: curveSteps + 2 }, (_, step) => labCurve(step / curveSteps));

/** IEC 61966-2-1 */
function linearLight(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** CIE 15: the cube root with its linear part near zero. */
function labCurve(value: number): number {
  return value > 216 / 24389 ? Math.cbrt(value) : ((24389 / 27) * value + 16) / 116;
}

export function labFromRaster({ width, height, rgb }: Raster): LabImage {
  const pixels = width * height;
  const l = new Float32Array(pixels);
  const a = new Float32Array(pixels);
  const b = new Float32Array(pixels);
  for (let pixel = 0, at = 0; pixel < pixels; pixel++, at += 3) {
    const red = linearTable[rgb[at] ?? 0] ?? 0;
    const green = linearTable[rgb[at + 1] ?? 0] ?? 0;
    const blue = linearTable[rgb[at + 2] ?? 0] ?? 0;
    // The rows of the sRGB matrix, each divided by the white point's X, Y and Z.
    const x = curve[((0.4339499 * red + 0.3762098 * green + 0.1898403 * blue) * curveSteps + 0.5) | 0] ?? 0;
    const y = curve[((0.2126729 * red + 0.7151522 * green + 0.072175 * blue) * curveSteps + 0.5) | 0] ?? 0;
    const z = curve[((0.0177566 * red + 0.1094681 * green + 0.8727754 * blue) * curveSteps + 0.5) | 0] ?? 0;
    l[pixel] = 116 * y - 16;
    a[pixel] = 500 * (x - y);
    b[pixel] = 200 * (y - z);
  }
  return { width, height, l, a, b };
}
