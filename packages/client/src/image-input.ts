/** A picture: the bytes of its file, a `Blob` or `File`, or base64 (standard, URL-safe, or a `data:` URL). */
export type ImageInput = Uint8Array | ArrayBuffer | Blob | string;

/** The picture in base64, as the service takes it. */
export async function toBase64(image: ImageInput): Promise<string> {
  if (typeof image === "string") return image;
  const bytes =
    image instanceof Uint8Array
      ? image
      : new Uint8Array(image instanceof ArrayBuffer ? image : await image.arrayBuffer());
  // In pieces: a function takes only so many arguments.
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += 0x8000) {
    pieces.push(String.fromCharCode(...bytes.subarray(start, start + 0x8000)));
  }
  return btoa(pieces.join(""));
}
