import type { Descriptor, FoundObject, VisionModel } from "@product-search/core/ports/images.ts";

/** An image that is sent to a vision thread. */
export interface SentImage {
  /** Has its own memory: it is transferred, not copied. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The model of the searched vectors; undefined if there are none. */
  model: string | undefined;
}

export interface VisionPoolSettings {
  /** Calls a vision thread; refuses with `unavailable` if too many calls are waiting. */
  describe(image: SentImage, signal: AbortSignal): Promise<Descriptor>;
  detect(image: SentImage, signal: AbortSignal): Promise<FoundObject[]>;
}

/** Runs the model on other threads, with the model of the searched vectors. */
export function createVisionPool(
  { describe, detect }: VisionPoolSettings,
  model: () => string | undefined,
): VisionModel {
  const send = (bytes: Uint8Array): SentImage => ({ bytes: ownBytes(bytes), model: model() });
  return {
    describe: async (bytes, signal) => {
      signal.throwIfAborted();
      return describe(send(bytes), signal);
    },
    detect: async (bytes, signal) => {
      signal.throwIfAborted();
      return detect(send(bytes), signal);
    },
  };
}

/** A small buffer is part of memory that others use, so it must not be transferred. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const ownsAll = buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength;
  return ownsAll ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
