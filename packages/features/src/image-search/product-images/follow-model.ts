import { pause } from "@product-search/core/mechanisms/abortable.ts";
import type { ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import type { UntilChange } from "@product-search/core/ports/until-change.ts";

export interface FollowModelDeps {
  productImageStore: Pick<ProductImageStore, "isDescribedBy" | "useModels">;
  /** The index that is used for searches. */
  vectors: { model(): string; switchTo(model: IndexedModel): void };
}

interface IndexedModel {
  model: string;
  dimensions: number;
  encoder?: string | undefined;
}

const everyMs = 1000;

/**
 * Says which models this node uses. Switches the index to the wanted model when that model has described every image, here
 * or on another node.
 */
export async function followModel(
  { productImageStore, vectors }: FollowModelDeps,
  target: IndexedModel,
  onError: (error: unknown) => void,
  signal: AbortSignal,
  untilChange: UntilChange = pause,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await productImageStore.useModels([target.model, ...modelsInUse(vectors, target)]);
      if (vectors.model() !== target.model && (await productImageStore.isDescribedBy(target.model)))
        vectors.switchTo(target);
    } catch (error) {
      onError(error);
    }
    await untilChange(everyMs, signal);
  }
}

/** The wanted model and the one that is searched; none while the latter is not known. */
export function modelsInUse(
  vectors: Pick<FollowModelDeps["vectors"], "model">,
  { model }: Pick<IndexedModel, "model">,
): string[] {
  const searched = vectors.model();
  return searched === "" ? [] : [...new Set([model, searched])];
}
