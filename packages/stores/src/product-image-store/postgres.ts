import type { ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import { createPostgresImageModels } from "./postgres-models.ts";
import { createPostgresImageQueue } from "./postgres-queue.ts";
import type { PostgresProductImageStoreSettings } from "./postgres-settings.ts";
import { createPostgresShownImages } from "./postgres-shown.ts";
import { createPostgresVectors } from "./postgres-vectors.ts";

/** The image store of several nodes. One of them writes; any may read. */
export function createPostgresProductImageStore(
  settings: PostgresProductImageStoreSettings,
): ProductImageStore {
  return {
    ...createPostgresShownImages(settings),
    ...createPostgresImageQueue(settings),
    ...createPostgresVectors(settings),
    ...createPostgresImageModels(settings),
  };
}
