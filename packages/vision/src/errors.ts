/** The bytes are not an image that this package can read. The message may be shown to the sender. */
export class InvalidImageError extends Error {
  override readonly name = "InvalidImageError";
}

/** According to its header, the image has more pixels than this package decodes. */
export class ImageTooLargeError extends Error {
  override readonly name = "ImageTooLargeError";
}
