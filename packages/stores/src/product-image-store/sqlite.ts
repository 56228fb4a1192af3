import type { ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import { createImageModels } from "./sqlite-models.ts";
import { createImageQueue } from "./sqlite-queue.ts";
import type { SqliteProductImageStoreSettings } from "./sqlite-settings.ts";
import { createShownImages } from "./sqlite-shown.ts";
import { createVectors } from "./sqlite-vectors.ts";

/** The embedded image store. One thread writes; any may read. */
export function createSqliteProductImageStore(settings: SqliteProductImageStoreSettings): ProductImageStore {
  return {
    ...createShownImages(settings),
    ...createImageQueue(settings),
    ...createVectors(settings),
    ...createImageModels(settings),
  };
}
