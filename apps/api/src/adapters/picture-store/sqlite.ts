import type { PictureStore } from "../../ports/picture-store.ts";
import { createPictureQueue } from "./sqlite-queue.ts";
import type { SqlitePictureStoreSettings } from "./sqlite-settings.ts";
import { createShownPictures } from "./sqlite-shown.ts";
import { createVectors } from "./sqlite-vectors.ts";

/** The embedded picture store. One thread writes; any may read. */
export function createSqlitePictureStore(settings: SqlitePictureStoreSettings): PictureStore {
  return {
    ...createShownPictures(settings),
    ...createPictureQueue(settings),
    ...createVectors(settings),
  };
}
