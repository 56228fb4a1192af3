import type { CatalogStore } from "../../../ports/catalog-store.ts";
import type { Clock } from "../../../ports/clock.ts";
import { applyPaced } from "../apply-paced.ts";
import { sampleProduct } from "./sample-product.ts";

export interface LoadSampleDeps {
  catalogStore: Pick<CatalogStore, "apply">;
  clock: Clock;
  currency: string;
}

/** What `pnpm start` loads on its first start. */
export const defaultSampleSize = 2400;

/**
 * Puts the first so many products of the sample catalog into the store; those that are there already stay as they
 * are. Their looks are drawn when somebody asks for them.
 */
export async function loadSample(
  { catalogStore, clock, currency }: LoadSampleDeps,
  products: number,
  onProgress: (loaded: number) => void = () => {},
): Promise<{ created: number; updated: number; unchanged: number }> {
  const result = { created: 0, updated: 0, unchanged: 0 };
  let loaded = 0;
  const inputs = sampleProducts(products, { currency, nowMs: clock.now() });
  for await (const outcomes of applyPaced(inputs, (batch) => catalogStore.apply(batch))) {
    for (const outcome of outcomes) result[outcome] += 1;
    loaded += outcomes.length;
    onProgress(loaded);
  }
  return result;
}

function* sampleProducts(count: number, settings: { currency: string; nowMs: number }) {
  for (let number = 0; number < count; number++) yield sampleProduct(number, settings);
}
