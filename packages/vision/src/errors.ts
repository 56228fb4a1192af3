/** The bytes are not an image that this package reads. The message may be shown to whoever sent them. */
export class InvalidImageError extends Error {
  override readonly name = "InvalidImageError";
}

/** The image's header announces more pixels than are ever decoded. */
export class ImageTooLargeError extends Error {
  override readonly name = "ImageTooLargeError";
}
