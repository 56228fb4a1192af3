import { ApiError } from "../../../errors.ts";
import type { Picture, PictureOutcome } from "../../../ports/picture-store.ts";
import type { VisionModel } from "../../../ports/vision-model.ts";
import { type FetchPictureDeps, fetchPicture } from "./fetch-picture.ts";

export interface DescribePictureDeps extends FetchPictureDeps {
  visionModel: Pick<VisionModel, "describe">;
}

const mostAttempts = 5;
const firstPauseMs = 30_000;

/** Fetches and describes one picture; whatever goes wrong is an outcome, unless it was ourselves who stopped. */
export async function describePicture(
  deps: DescribePictureDeps,
  picture: Picture,
  signal: AbortSignal,
): Promise<PictureOutcome> {
  const { id } = picture;
  const fetched = await fetchPicture(deps, picture, signal);
  signal.throwIfAborted();
  if ("unchanged" in fetched) return { id, became: "unchanged" };
  if ("fault" in fetched)
    return fetched.later ? retry(picture, fetched.fault) : { id, became: "lost", fault: fetched.fault };
  const { bytes, etag } = fetched;
  try {
    const descriptor = await deps.visionModel.describe(bytes, signal);
    return { id, became: "described", descriptor, ...(etag !== undefined && { etag }) };
  } catch (error) {
    signal.throwIfAborted();
    const fault = error instanceof Error ? error.message : String(error);
    const isItsFault = error instanceof ApiError && error.code !== "unavailable";
    return isItsFault ? { id, became: "lost", fault } : retry(picture, fault);
  }
}

/** After half a minute, two, eight and thirty-two; then it is lost, until its product changes. */
function retry({ id, attempts }: Picture, fault: string): PictureOutcome {
  if (attempts + 1 >= mostAttempts) return { id, became: "lost", fault };
  return { id, became: "retry", afterMs: firstPauseMs * 4 ** attempts, fault };
}
