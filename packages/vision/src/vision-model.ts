/**
 * Turns images into vectors and finds the objects in them. Images are JPEG, PNG, WebP, AVIF or GIF bytes (its first
 * frame); their EXIF orientation is applied. Both methods compute for milliseconds on the calling thread, so a server
 * gives each model a worker thread of its own. They reject with `InvalidImageError` or `ImageTooLargeError`.
 */
export interface VisionModel {
  /** Changes whenever the same image would get another vector. Vectors of different ids must never be compared. */
  readonly id: string;
  /** Length of the vectors that `describe` returns. */
  readonly dimensions: number;
  /**
   * A vector of length 1: the more two images look alike, the larger the dot product of their vectors. When `signal`
   * aborts before the image is decoded, nothing is computed.
   */
  describe(bytes: Uint8Array, signal?: AbortSignal): Promise<Float32Array>;
  /** The objects that stand out, surest first; none for an image in which nothing does. */
  detect(bytes: Uint8Array, signal?: AbortSignal): Promise<DetectedObject[]>;
}

export interface DetectedObject {
  /** What it is, or `"object"` where the detector tells objects apart but cannot name them. */
  readonly name: string;
  /** The share of boxes with this value that really held one object, measured on composed images: 0 to 1. */
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
