/** An image as a vector of length 1. Vectors of different models cannot be compared. */
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
  /** The probable name of the object, in English. */
  name: string;
  /** 0 to 1. */
  confidence: number;
  box: Box;
  /** The object cut out of the image, as a JPEG file. */
  crop: Uint8Array;
  /** Descriptor of the crop. */
  descriptor: Descriptor;
}

/**
 * Describes images and detects objects. Bytes that are not an image end in `invalid_image`, images too large to
 * decode in `payload_too_large`, and overload in `unavailable`.
 */
export interface VisionModel {
  /** The bytes may be transferred to another thread: do not use them afterwards. */
  describe(bytes: Uint8Array, signal: AbortSignal): Promise<Descriptor>;
  /** The objects that stand out, highest confidence first; empty if there are none. The bytes may be transferred. */
  detect(bytes: Uint8Array, signal: AbortSignal): Promise<FoundObject[]>;
}
