import type { ImageStore } from "../../ports/image-store.ts";
import type { VectorSearch } from "../../ports/vector-search.ts";
import type { VisionModel } from "../../ports/vision-model.ts";
import { readPicture, withFieldInMessage } from "./read-picture.ts";

export interface VectorizeImageDeps {
  imageStore: Pick<ImageStore, "slugOf" | "renew" | "keep">;
  visionModel: Pick<VisionModel, "describe">;
  vectorSearch: Pick<VectorSearch, "model">;
}

/** The slug under which the picture can be searched with; a picture that is still known is not looked at again. */
export async function vectorizeImage(
  { imageStore, visionModel, vectorSearch }: VectorizeImageDeps,
  { base64String }: { base64String: string },
  signal: AbortSignal,
): Promise<string> {
  const bytes = readPicture(base64String);
  const slug = imageStore.slugOf(bytes);
  const model = vectorSearch.model();
  if (model !== undefined && (await imageStore.renew(slug, model))) return slug;
  const descriptor = await withFieldInMessage(visionModel.describe(bytes, signal));
  await imageStore.keep([{ slug, descriptor }]);
  return slug;
}
