import { evidenceOfName, nameConfidence, withCategories } from "@product-search/core/domain/similarity.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type {
  Descriptor,
  FoundObject,
  UploadedImageStore,
  VectorSearch,
  VisionModel,
} from "@product-search/core/ports/images.ts";
import type { DetectedObject } from "@product-search/types";
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

interface NameObjectsDeps {
  vectorSearch: VectorSearch;
  catalogStore: Pick<CatalogStore, "findByRowIds">;
}

/** What a detector says of an object that it cannot name. */
const unnamed = "object";
const voters = 10;
/** The last of them say how similar to the object a product is that has nothing to do with it. */
const candidates = 100;

interface ObjectName {
  name: string;
  /** For a name that the catalog gives: that box and name are right. Else the detector's. */
  confidence: number;
}

/** The names of objects: the detector's, or else the category that most of the similar products have. */
export function nameObjects(
  deps: NameObjectsDeps,
  objects: readonly FoundObject[],
  signal: AbortSignal,
): Promise<ObjectName[]> {
  return Promise.all(
    objects.map(async ({ name, confidence, descriptor }) => {
      const named = name === unnamed ? await nameByCatalog(deps, descriptor, confidence, signal) : undefined;
      return named ?? { name, confidence };
    }),
  );
}

async function nameByCatalog(
  { vectorSearch, catalogStore }: NameObjectsDeps,
  { model, vector }: Descriptor,
  box: number,
  signal: AbortSignal,
): Promise<ObjectName | undefined> {
  if (vectorSearch.model() !== model) return undefined;
  const typical = vectorSearch.typicalSimilarity();
  const hits = await vectorSearch.search({ vector, limit: candidates, minSimilarity: -1 }, signal);
  const products = await catalogStore.findByRowIds(hits.slice(0, voters).map(({ rowId }) => rowId));
  const alike = withCategories(hits, products);
  const named = evidenceOfName(alike, typical, box);
  return named && { name: named.category, confidence: nameConfidence(named.evidence) };
}
