export interface ImageSize {
  width: number;
  height: number;
}

/** The size that an image's header names; undefined for bytes that are none of the formats that the service reads. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (start: number, length: number) =>
    Buffer.from(bytes.subarray(start, start + length)).toString("latin1");
  try {
    if (text(0, 8) === "\x89PNG\r\n\x1a\n") return { width: view.getUint32(16), height: view.getUint32(20) };
    if (/^GIF8[79]a/.test(text(0, 6)))
      return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    if (text(0, 2) === "\xff\xd8") return jpegSize(view);
    if (text(0, 4) === "RIFF" && text(8, 4) === "WEBP") return webpSize(view, text(12, 4));
    if (text(4, 8) === "ftypavif" || text(4, 8) === "ftypavis") return avifSize(view, text(0, bytes.length));
  } catch (error) {
    // A header that breaks off.
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** From segment to segment until the one that begins a frame. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; at < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    if (view.getUint8(at) !== 0xff) return undefined;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return undefined;
}

function webpSize(view: DataView, format: string): ImageSize | undefined {
  if (format === "VP8X")
    return { width: (view.getUint32(24, true) & 0xffffff) + 1, height: (view.getUint32(26, true) >>> 8) + 1 };
  if (format === "VP8L") {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (format !== "VP8 ") return undefined;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** The first property box with a spatial extent. */
function avifSize(view: DataView, text: string): ImageSize | undefined {
  const at = text.indexOf("ispe");
  return at === -1 ? undefined : { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
}
