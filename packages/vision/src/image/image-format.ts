export type ImageFormat = "jpeg" | "png" | "webp" | "avif" | "gif";

/**
 * The format that the first bytes indicate. It is checked before any decoder runs, so that SVG, PDF and other formats that
 * can refer to files or hosts never reach the decoder, even in a file that is valid in two formats.
 */
export function imageFormat(bytes: Uint8Array): ImageFormat | undefined {
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
