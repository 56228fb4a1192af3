import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { afterEach, beforeEach } from "vitest";

export const dayMs = 24 * 60 * 60 * 1000;

export type OpenCatalogStore = (clock: Clock) => Promise<{ store: CatalogStore; close(): Promise<void> }>;

/** A store, opened for each test, and the helpers of tests. */
export interface CatalogWorld {
  readonly store: CatalogStore;
  /** The time, which tests set. */
  nowMs: number;
  findByKey(key: string): Promise<StoredProduct>;
}

export function useCatalogWorld(open: OpenCatalogStore): CatalogWorld {
  let opened: Awaited<ReturnType<OpenCatalogStore>>;
  const world: CatalogWorld = {
    nowMs: 0,
    get store() {
      return opened.store;
    },
    async findByKey(key) {
      const found = (await opened.store.scan(0, 1000)).find((product) => product.key === key);
      if (found === undefined) throw new Error(`No product with the key ${key}`);
      return found;
    },
  };
  beforeEach(async () => {
    world.nowMs = Date.UTC(2026, 0, 1);
    opened = await open({ now: () => world.nowMs });
  });
  afterEach(() => opened.close());
  return world;
}
