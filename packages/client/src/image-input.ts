/** An image: the bytes of its file, a `Blob` or `File`, or base64 (standard, URL-safe, or a `data:` URL). */
export type ImageInput = Uint8Array | ArrayBuffer | Blob | string;

/** The image in base64, for the request body. */
export async function toBase64(image: ImageInput): Promise<string> {
  if (typeof image === "string") return image;
  const bytes =
    image instanceof Uint8Array
      ? image
      : new Uint8Array(image instanceof ArrayBuffer ? image : await image.arrayBuffer());
  // In chunks, because the number of arguments of a function is limited.
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += 0x8000) {
    pieces.push(String.fromCharCode(...bytes.subarray(start, start + 0x8000)));
  }
  return btoa(pieces.join(""));
}
