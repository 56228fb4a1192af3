import { ApiError } from "../../../errors.ts";
import { maxFailures } from "../../../ports/dead-letters.ts";
import type { Picture, PictureOutcome } from "../../../ports/picture-store.ts";
import type { VisionModel } from "../../../ports/vision-model.ts";
import { type FetchedPicture, type FetchPictureDeps, fetchPicture } from "./fetch-picture.ts";

export interface DescribePictureDeps extends FetchPictureDeps {
  visionModel: Pick<VisionModel, "describe">;
}

const firstPauseMs = 30_000;

/** Fetches and describes one picture; whatever goes wrong is an outcome, unless it was ourselves who stopped. */
export async function describePicture(
  deps: DescribePictureDeps,
  picture: Picture,
  signal: AbortSignal,
): Promise<PictureOutcome> {
  const { id } = picture;
  const failed = (error: unknown) => {
    signal.throwIfAborted();
    return retry(picture, error instanceof Error ? error.message : String(error), "dead");
  };
  let fetched: FetchedPicture;
  try {
    fetched = await fetchPicture(deps, picture, signal);
  } catch (error) {
    return failed(error);
  }
  signal.throwIfAborted();
  if ("unchanged" in fetched) return { id, became: "unchanged" };
  if ("fault" in fetched)
    return fetched.later
      ? retry(picture, fetched.fault, "lost")
      : { id, became: "lost", fault: fetched.fault };
  const { bytes, etag } = fetched;
  try {
    const descriptor = await deps.visionModel.describe(bytes, signal);
    return { id, became: "described", descriptor, ...(etag !== undefined && { etag }) };
  } catch (error) {
    const isImageError = error instanceof ApiError && error.code !== "unavailable";
    return isImageError ? { id, became: "lost", fault: error.message } : failed(error);
  }
}

/** After half a minute, two, eight and thirty-two; then it is given up, until its product changes or somebody retries it. */
function retry({ id, attempts }: Picture, fault: string, became: "lost" | "dead"): PictureOutcome {
  if (attempts + 1 >= maxFailures) return { id, became, fault };
  return { id, became: "retry", afterMs: firstPauseMs * 4 ** attempts, fault };
}
