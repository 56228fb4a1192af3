import type { UploadedImageStore } from "@product-search/core/ports/uploaded-image-store.ts";
import type { FoundObject, VisionModel } from "@product-search/core/ports/vision-model.ts";
import type { DetectedObject } from "@product-search/types";
import { type NameObjectsDeps, nameObjects, type ObjectName } from "./name-objects.ts";
import { readImage, withFieldInMessage } from "./read-image.ts";

export interface DetectObjectsDeps extends NameObjectsDeps {
  uploadedImageStore: Pick<UploadedImageStore, "slugOf" | "keep">;
  visionModel: Pick<VisionModel, "detect">;
}

/** The objects in an image, highest confidence first. Each can be searched for. */
export async function detectObjects(
  { uploadedImageStore, visionModel, ...naming }: DetectObjectsDeps,
  { base64String }: { base64String: string },
  signal: AbortSignal,
): Promise<DetectedObject[]> {
  const found = await withFieldInMessage(visionModel.detect(readImage(base64String), signal));
  const images = await Promise.all(
    found.map(async ({ crop, descriptor }) => ({ slug: await uploadedImageStore.slugOf(crop), descriptor })),
  );
  await uploadedImageStore.keep(images);
  const names = await nameObjects(naming, found, signal);
  const objects = found.map((object, at) =>
    toDetectedObject(object, names[at] ?? object, images[at]?.slug ?? ""),
  );
  // A name that few similar products support lowers the confidence.
  return objects.toSorted((one, other) => other.confidence - one.confidence);
}

function toDetectedObject(
  { box, crop }: FoundObject,
  { name, confidence }: ObjectName,
  slug: string,
): DetectedObject {
  return {
    objectName: name,
    confidence,
    croppedImage: `data:image/jpeg;base64,${Buffer.from(crop).toString("base64")}`,
    dimensions: box,
    slug,
  };
}
