import type { Descriptor, FoundObject, VisionModel } from "../../ports/vision-model.ts";

/** An image on its way to a thread that sees. */
export interface SentImage {
  /** Owns its memory: it is moved, not copied. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The model of the vectors that are searched; undefined while there are none. */
  model: string | undefined;
}

export interface VisionPoolSettings {
  /** Asks a thread that sees; refuses with `unavailable` when too much waits there already. */
  describe(image: SentImage, signal: AbortSignal): Promise<Descriptor>;
  detect(image: SentImage, signal: AbortSignal): Promise<FoundObject[]>;
}

/** Sees on other threads, by the model whose vectors are searched. */
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

/** A small buffer is a part of a memory that others use: it must not be moved away. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const ownsAll = buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength;
  return ownsAll ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
