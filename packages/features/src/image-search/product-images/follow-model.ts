import { setTimeout } from "node:timers/promises";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { UntilChange } from "@product-search/core/mechanisms/versions.ts";
import type { ProductImageStore } from "@product-search/core/ports/images.ts";

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

type VectorStore = Pick<ProductImageStore, "storedModels" | "usedModels" | "removeVectors">;

/** Small enough for a transaction of a few milliseconds. */
const batchSize = 200;
const pauseMs = 10;

/** A look reads a whole table: only when this node uses other models than before, and at long intervals. */
const whenToLook = {
  checkEveryMs: 1000,
  untilChange: pause as UntilChange,
  lookEveryMs: 10 * 60_000,
  retryAfterMs: 60_000,
};

/**
 * Removes the vectors of models that no node uses any more, again and again until the signal aborts. `usedHere` returns the
 * models of this node, or none while they are not known: then nothing is removed.
 */
export async function removeUnusedVectors(
  store: VectorStore,
  usedHere: () => readonly string[],
  onError: (error: unknown) => void,
  signal: AbortSignal,
  settings: Partial<typeof whenToLook> = {},
): Promise<void> {
  const { checkEveryMs, untilChange, lookEveryMs, retryAfterMs } = { ...whenToLook, ...settings };
  let usedBefore = "";
  let nextMs = performance.now();
  while (!signal.aborted) {
    const used = usedHere().join();
    if (used !== usedBefore || performance.now() >= nextMs) {
      usedBefore = used;
      nextMs = performance.now() + lookEveryMs;
      try {
        for (const model of await unusedModels(store, usedHere)) await removeAll(store, model, signal);
      } catch (error) {
        nextMs = performance.now() + retryAfterMs;
        if (!signal.aborted) onError(error);
      }
    }
    await untilChange(checkEveryMs, signal);
  }
}

async function unusedModels(store: VectorStore, usedHere: () => readonly string[]): Promise<string[]> {
  if (usedHere().length === 0) return [];
  // In this order: nodes say that they use a model before its first vector is stored.
  const stored = await store.storedModels();
  const used = new Set([...(await store.usedModels()), ...usedHere()]);
  return stored.filter((model) => !used.has(model));
}

async function removeAll(store: VectorStore, model: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await store.removeVectors(model, batchSize)) > 0) {
    await setTimeout(pauseMs);
    // A node may use it again.
    if ((await store.usedModels()).includes(model)) return;
  }
}
