import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Weights } from "../src/descriptor/weights.ts";
import type { TransformName } from "./augment.ts";
import { readRaster } from "./forms.ts";
import { fitPatchModel } from "./patch-model.ts";
import type { Photograph } from "./photographs.ts";
import { fitProjection } from "./projection.ts";
import { createRandom } from "./random.ts";
import { readFeatures } from "./read-features.ts";

const seed = 20_261_121;
/** Number of images whose patches are used: enough for a vocabulary, and all of them fit in memory. */
const maxRasters = 3000;
/** The forms in which each image is also used, weighted by how often they still go wrong. */
const imageVariants: readonly { transform: TransformName; weight: number }[] = [
  { transform: "mirrored", weight: 1 },
  { transform: "turned90", weight: 3 },
  { transform: "turned180", weight: 1 },
  { transform: "turned270", weight: 3 },
  { transform: "tilted", weight: 1 },
  { transform: "greyscale", weight: 3 },
  { transform: "cropped", weight: 1 },
  { transform: "padded", weight: 1 },
  { transform: "cluttered", weight: 3 },
  { transform: "warmer", weight: 1 },
];

/** Learns weights from photographs; the same photographs in the same order give the same weights. */
export async function trainWeights(
  photographs: readonly Photograph[],
  report: (step: string) => void,
): Promise<Omit<Weights, "id">> {
  const paths = photographs.map(({ path }) => path);
  report(`learning patches from ${paths.length} photographs`);
  const rasters = [];
  for (const path of evenly(paths, maxRasters)) rasters.push(await readRaster(path));
  const patches = fitPatchModel(rasters, createRandom(seed));
  report(`reading features of each in ${1 + imageVariants.length} forms`);
  const transforms = imageVariants.map(({ transform }) => transform);
  const [originals = new Float32Array(), ...tables] = await readFeatures(
    paths,
    ["none", ...transforms],
    patches,
  );
  report("learning the projection");
  const projection = fitProjection({
    originals,
    variants: tables.map((table, i) => ({ table, weight: imageVariants[i]?.weight ?? 0 })),
    products: photographs.map(({ product }) => product),
    // A photograph of a known product gets no class: it would only repeat what the products say.
    classes: photographs.map((photograph) => (photograph.product === "" ? photograph.class : "")),
  });
  return { patches, projection, trainedOn: paths.map((path) => fingerprint(readFileSync(path))) };
}

function evenly<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return Array.from(
    { length: Math.floor(items.length / step) },
    (_, i) => items[Math.floor(i * step)],
  ).filter((item) => item !== undefined);
}

/** Whether an image was trained on. */
export function fingerprint(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}
