/**
 * Turns images into vectors and finds the objects in them. Images are JPEG, PNG, WebP, AVIF or GIF bytes (the first frame).
 * Their EXIF orientation is applied. Both methods take milliseconds of CPU time on the calling thread, so a server runs
 * each model in its own worker thread. They reject with `InvalidImageError` or `ImageTooLargeError`.
 */
export interface VisionModel {
  /** Changes whenever an image gets a different vector. Vectors of different ids must never be compared. */
  readonly id: string;
  /** Length of the vectors that `describe` returns. */
  readonly dimensions: number;
  /**
   * A vector of length 1: the more similar two images are, the larger the dot product of their vectors. If `signal` aborts
   * before the image is decoded, nothing is computed.
   */
  describe(bytes: Uint8Array, signal?: AbortSignal): Promise<Float32Array>;
  /** The objects that stand out from the background, highest confidence first; empty if there are none. */
  detect(bytes: Uint8Array, signal?: AbortSignal): Promise<DetectedObject[]>;
}

export interface DetectedObject {
  /** The name of the object, or `"object"` if the detector cannot name objects. */
  readonly name: string;
  /** The share of boxes with this value that contain exactly one object, measured on composed images: 0 to 1. */
  readonly confidence: number;
  /** In whole pixels of the upright image, inside it. */
  readonly box: Box;
  /** The box cut out of the image, as a JPEG of at most 1024 pixels a side. */
  crop(): Promise<Buffer>;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The bytes are not an image that this package can read. The message may be shown to the sender. */
export class InvalidImageError extends Error {
  override readonly name = "InvalidImageError";
}

/** According to its header, the image has more pixels than this package decodes. */
export class ImageTooLargeError extends Error {
  override readonly name = "ImageTooLargeError";
}
