import type { UploadedImageStore } from "@product-search/core/ports/uploaded-image-store.ts";
import type { VectorSearch } from "@product-search/core/ports/vector-search.ts";
import type { VisionModel } from "@product-search/core/ports/vision-model.ts";
import { readImage, withFieldInMessage } from "./read-image.ts";

export interface VectorizeImageDeps {
  uploadedImageStore: Pick<UploadedImageStore, "slugOf" | "renew" | "keep">;
  visionModel: Pick<VisionModel, "describe">;
  vectorSearch: Pick<VectorSearch, "model">;
}

/** The slug to search with. An image that is still stored is not described again. */
export async function vectorizeImage(
  { uploadedImageStore, visionModel, vectorSearch }: VectorizeImageDeps,
  { base64String }: { base64String: string },
  signal: AbortSignal,
): Promise<string> {
  const bytes = readImage(base64String);
  const slug = await uploadedImageStore.slugOf(bytes);
  const model = vectorSearch.model();
  if (model !== undefined && (await uploadedImageStore.renew(slug, model))) return slug;
  const descriptor = await withFieldInMessage(visionModel.describe(bytes, signal));
  await uploadedImageStore.keep([{ slug, descriptor }]);
  return slug;
}
