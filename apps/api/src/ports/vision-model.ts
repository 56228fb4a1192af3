/** An image as a vector of length 1. Vectors of different models say nothing about each other. */
export interface Descriptor {
  /** The identifier of the model that made it. */
  model: string;
  vector: Float32Array;
}

/** In whole pixels of the upright image. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface FoundObject {
  /** What it seems to be, in English. */
  name: string;
  /** 0 to 1. */
  confidence: number;
  box: Box;
  /** The object cut out of the image, a JPEG file. */
  crop: Uint8Array;
  /** Of the crop. */
  descriptor: Descriptor;
}

/**
 * Sees. Bytes that are no image end in `invalid_image`, images too large to decode in `payload_too_large`, and
 * more work than can be done soon in `unavailable`.
 */
export interface VisionModel {
  /** The bytes may be moved to another thread: do not use them afterwards. */
  describe(bytes: Uint8Array, signal: AbortSignal): Promise<Descriptor>;
  /** The objects that stand out, surest first; none for an image in which nothing does. The bytes may be moved. */
  detect(bytes: Uint8Array, signal: AbortSignal): Promise<FoundObject[]>;
}
