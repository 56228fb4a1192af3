const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/**
 * A GIF without anything after its first frame. The decoder would walk through all frames before it shows the first, and
 * a file of a few megabytes can hold a million. Bytes that do not follow the format come back as they are, for the decoder to refuse.
 */
export function firstGifFrame(bytes: Uint8Array): Uint8Array {
  let at = 13 + colourTableLength(bytes[10] ?? 0);
  while (bytes[at] === EXTENSION) at = skipSubBlocks(bytes, at + 2);
  if (bytes[at] !== IMAGE) return bytes;
  const end = skipSubBlocks(bytes, at + 10 + colourTableLength(bytes[at + 9] ?? 0) + 1);
  if (end >= bytes.length) return bytes;
  const first = bytes.slice(0, end + 1);
  first[end] = TRAILER;
  return first;
}

function colourTableLength(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Sub-blocks have their length before them; one of length 0 ends them. */
function skipSubBlocks(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) at += length + 1;
  return at + 1;
}
