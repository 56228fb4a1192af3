import { setTimeout } from "node:timers/promises";
import type { UploadedImageStore } from "../../../ports/uploaded-image-store.ts";

const everyMs = 1000;
/** Small enough for a transaction of a few milliseconds. */
const batchSize = 200;

/** Removes expired images until the signal aborts. */
export async function purgeImages(
  uploadedImageStore: Pick<UploadedImageStore, "removeExpired">,
  onError: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const removed = await uploadedImageStore.removeExpired(batchSize).catch(onError);
    await setTimeout(removed ? 10 : everyMs, undefined, { signal }).catch(() => {});
  }
}
