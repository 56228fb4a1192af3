import { setTimeout } from "node:timers/promises";
import type { ImageStore } from "../../../ports/image-store.ts";
import type { PictureStore } from "../../../ports/picture-store.ts";

export interface PurgeDeps {
  imageStore: Pick<ImageStore, "removeExpired">;
  pictureStore: Pick<PictureStore, "progress" | "removeVectorsExcept">;
  /** The index that is searched. */
  vectors: { model(): string; switchTo(model: IndexedModel): void };
}

interface IndexedModel {
  model: string;
  dimensions: number;
  encoder?: string | undefined;
}

const everyMs = 1000;
/** Few enough for a transaction of a few milliseconds. */
const batchSize = 200;

/**
 * Removes images past their time and vectors of models that are no longer searched; has the index change over to the
 * wanted model once every picture is described by it.
 */
export async function purgeImages(
  { imageStore, pictureStore, vectors }: PurgeDeps,
  wanted: IndexedModel,
  onError: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let removed = 0;
    try {
      removed += await imageStore.removeExpired(batchSize);
      if (vectors.model() === wanted.model)
        removed += await pictureStore.removeVectorsExcept([wanted.model], batchSize);
      else if ((await pictureStore.progress()).untried === 0) vectors.switchTo(wanted);
    } catch (error) {
      onError(error);
    }
    await setTimeout(removed > 0 ? 10 : everyMs, undefined, { signal }).catch(() => {});
  }
}
