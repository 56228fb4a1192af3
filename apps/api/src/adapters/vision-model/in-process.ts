import { ApiError } from "@product-search/core/errors.ts";
import type { FoundObject, VisionModel } from "@product-search/core/ports/images.ts";
import {
  type DetectedObject,
  type VisionModel as Engine,
  ImageTooLargeError,
  InvalidImageError,
} from "@product-search/vision";

/** Maximum number of objects. Each costs as much as an image. */
export const maxObjects = 10;

/** Runs the model on the calling thread, which is busy for milliseconds per image. */
export function createInProcessVisionModel(engine: Engine): VisionModel {
  const describe = async (bytes: Uint8Array, signal: AbortSignal) => ({
    model: engine.id,
    vector: await engine.describe(bytes, signal),
  });
  const describeObject = async (object: DetectedObject, signal: AbortSignal): Promise<FoundObject> => {
    const { name, confidence, box } = object;
    const crop = await object.crop();
    return { name, confidence, box: { ...box }, crop, descriptor: await describe(crop, signal) };
  };
  return {
    describe: (bytes, signal) => withApiErrors(signal, () => describe(bytes, signal)),
    detect: (bytes, signal) =>
      withApiErrors(signal, async () => {
        const found: FoundObject[] = [];
        for (const object of (await engine.detect(bytes, signal)).slice(0, maxObjects)) {
          signal.throwIfAborted();
          found.push(await describeObject(object, signal));
        }
        return found;
      }),
  };
}

async function withApiErrors<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidImageError) {
      throw new ApiError("invalid_image", error.message, { cause: error });
    }
    if (error instanceof ImageTooLargeError) {
      throw new ApiError("payload_too_large", error.message, { cause: error });
    }
    throw error;
  }
}
