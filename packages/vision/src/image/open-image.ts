import sharp, { type Metadata, type Sharp } from "sharp";
import { ImageTooLargeError, InvalidImageError } from "../errors.ts";

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
