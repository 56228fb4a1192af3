/** An image: the bytes of its file, a `Blob` or `File`, or base64 (standard, URL-safe, or a `data:` URL). */
export type ImageInput = Uint8Array | ArrayBuffer | Blob | string;

/** An image that was uploaded, by the `slug` of its upload or of an object in an image. */
export interface ImageQuery {
  imageId: string;
  /** Categories to leave out, usually some of `categories` in an earlier response. */
  withoutCategories?: readonly string[];
}

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
