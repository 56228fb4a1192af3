import type { ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import type { SqliteProductImageStoreSettings } from "./sqlite-settings.ts";

/** The models of one node: it knows itself which ones it uses. */
export function createImageModels({
  connection,
}: SqliteProductImageStoreSettings): Pick<
  ProductImageStore,
  "isDescribedBy" | "useModels" | "usedModels" | "storedModels" | "removeVectors"
> {
  const missing = connection.prepare<[string], { isMissing: number }>(
    `select exists (select 1 from pictures where state = 'waiting' and attempts = 0)
       or exists (select 1 from pictures where state = 'described'
         and not exists (select 1 from picture_vectors where picture_id = id and model = ?)) as isMissing`,
  );
  const stored = connection.prepare<[], { model: string }>("select distinct model from picture_vectors");
  const remove = connection.prepare<[string, number]>(
    "delete from picture_vectors where rowid in (select rowid from picture_vectors where model = ? limit ?)",
  );
  return {
    isDescribedBy: async (model) => missing.get(model)?.isMissing === 0,
    useModels: async () => {},
    usedModels: async () => [],
    storedModels: async () => stored.all().map(({ model }) => model),
    removeVectors: async (model, limit) => remove.run(model, limit).changes,
  };
}
