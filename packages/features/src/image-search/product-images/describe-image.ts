import { ApiError } from "@product-search/core/errors.ts";
import { maxFailures } from "@product-search/core/ports/dead-letters.ts";
import type { ImageOutcome, ProductImage } from "@product-search/core/ports/product-image-store.ts";
import type { VisionModel } from "@product-search/core/ports/vision-model.ts";
import { type FetchedImage, type FetchImageDeps, fetchImage } from "./fetch-image.ts";

export interface DescribeImageDeps extends FetchImageDeps {
  visionModel: Pick<VisionModel, "describe">;
}

const firstPauseMs = 30_000;

/** Fetches and describes one image. Every failure is an outcome, except an abort by this service. */
export async function describeImage(
  deps: DescribeImageDeps,
  image: ProductImage,
  signal: AbortSignal,
): Promise<ImageOutcome> {
  const { id } = image;
  const failed = (error: unknown) => {
    signal.throwIfAborted();
    return retry(image, error instanceof Error ? error.message : String(error), "dead");
  };
  let fetched: FetchedImage;
  try {
    fetched = await fetchImage(deps, image, signal);
  } catch (error) {
    return failed(error);
  }
  signal.throwIfAborted();
  if ("unchanged" in fetched) return { id, became: "unchanged" };
  if ("fault" in fetched)
    return fetched.later ? retry(image, fetched.fault, "lost") : { id, became: "lost", fault: fetched.fault };
  const { bytes, etag } = fetched;
  try {
    const descriptor = await deps.visionModel.describe(bytes, signal);
    return { id, became: "described", descriptor, ...(etag !== undefined && { etag }) };
  } catch (error) {
    const isImageError = error instanceof ApiError && error.code !== "unavailable";
    return isImageError ? { id, became: "lost", fault: error.message } : failed(error);
  }
}

/** Retries after 0.5, 2, 8 and 32 minutes. Then the image has failed, until its product changes or an operator retries it. */
function retry({ id, attempts }: ProductImage, fault: string, became: "lost" | "dead"): ImageOutcome {
  if (attempts + 1 >= maxFailures) return { id, became, fault };
  return { id, became: "retry", afterMs: firstPauseMs * 4 ** attempts, fault };
}
