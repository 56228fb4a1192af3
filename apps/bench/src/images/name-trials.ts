import { evidenceOfName, type NameEvidence } from "@product-search/core/domain/similarity/name-confidence.ts";
import type { VisionModel } from "@product-search/vision";
import { boxOverlap, composites, createRandom } from "@product-search/vision/composites";
import { type CatalogImage, dot, typicalOf } from "./judge-alike.ts";

/** An image of one thing on white, from which the thing is cut out. */
export interface NamedImage {
  readonly bytes: Buffer;
  readonly category: string;
}

/** An object that was given a name, and whether its box and its name are right. */
export interface NameTrial {
  readonly evidence: NameEvidence;
  readonly right: boolean;
  /** The number of the composed image. */
  readonly image: number;
}

const backgrounds = ["white", "plain", "gradient", "clutter", "photograph"] as const;
const minOverlap = 0.5;
/** As in the service. */
const candidates = 100;
const seed = 11;

/** Composes images of cut-out objects, and names what the model detects in them as the service does. */
export async function nameTrials(
  model: VisionModel,
  catalog: readonly CatalogImage[],
  objects: readonly NamedImage[],
  count: number,
): Promise<NameTrial[]> {
  const typical = typicalOf(catalog);
  const images = objects.map(({ bytes }) => bytes);
  const trials: NameTrial[] = [];
  let image = 0;
  for await (const { bytes, boxes, cutFrom } of composites(images, count, createRandom(seed), backgrounds)) {
    image++;
    for (const { box, confidence, crop } of await model.detect(bytes)) {
      const vector = await model.describe(await crop());
      const hits = catalog
        .map((image) => ({ similarity: dot(vector, image.vector), category: image.category }))
        .sort((one, other) => other.similarity - one.similarity)
        .slice(0, candidates);
      const named = evidenceOfName(hits, typical, confidence);
      if (named === undefined) continue;
      const at = boxes.findIndex((truth) => boxOverlap(truth, box) >= minOverlap);
      const truth = objects[cutFrom[at] ?? -1]?.category;
      trials.push({ evidence: named.evidence, right: truth === named.category, image });
    }
  }
  return trials;
}
