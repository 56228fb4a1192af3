import { setTimeout } from "node:timers/promises";
import type { ProductImageStore } from "../../../ports/product-image-store.ts";
import type { UploadedImageStore } from "../../../ports/uploaded-image-store.ts";

export interface PurgeDeps {
  uploadedImageStore: Pick<UploadedImageStore, "removeExpired">;
  productImageStore: Pick<ProductImageStore, "progress" | "removeVectorsExcept">;
  /** The index that is used for searches. */
  vectors: { model(): string; switchTo(model: IndexedModel): void };
}

interface IndexedModel {
  model: string;
  dimensions: number;
  encoder?: string | undefined;
}

const everyMs = 1000;
/** Small enough for a transaction of a few milliseconds. */
const batchSize = 200;

/**
 * Removes expired images and the vectors of models that are no longer searched. Switches the index to the wanted model when
 * that model has described every image.
 */
export async function purgeImages(
  { uploadedImageStore, productImageStore, vectors }: PurgeDeps,
  wanted: IndexedModel,
  onError: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const removeFormerVectors = async () => {
    if (vectors.model() === wanted.model)
      return productImageStore.removeVectorsExcept([wanted.model], batchSize);
    if ((await productImageStore.progress()).untried === 0) vectors.switchTo(wanted);
    return 0;
  };
  while (!signal.aborted) {
    let removed = 0;
    // One that fails does not stop the other.
    for (const remove of [() => uploadedImageStore.removeExpired(batchSize), removeFormerVectors]) {
      try {
        removed += await remove();
      } catch (error) {
        onError(error);
      }
    }
    await setTimeout(removed > 0 ? 10 : everyMs, undefined, { signal }).catch(() => {});
  }
}
