import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Weights } from "../src/weights.ts";
import type { TransformName } from "./augment.ts";
import { readRaster } from "./feature-worker.ts";
import { fitPatchModel } from "./patch-model.ts";
import type { Photograph } from "./photographs.ts";
import { fitProjection } from "./projection.ts";
import { createRandom } from "./random.ts";
import { readFeatures } from "./read-features.ts";

const SEED = 20_261_121;
const VARIANTS: readonly TransformName[] = [
  "mirrored",
  "turned90",
  "turned180",
  "turned270",
  "tilted",
  "greyscale",
  "cropped",
  "padded",
  "cluttered",
  "warmer",
  "darker",
];

/** Learns weights from photographs; the same photographs in the same order give the same weights. */
export async function trainWeights(
  photographs: readonly Photograph[],
  report: (step: string) => void,
): Promise<Omit<Weights, "id">> {
  const paths = photographs.map(({ path }) => path);
  report(`learning patches from ${paths.length} photographs`);
  const rasters = [];
  for (const path of paths) rasters.push(await readRaster(path));
  const patches = fitPatchModel(rasters, createRandom(SEED));
  report(`reading features of each in ${1 + VARIANTS.length} forms`);
  const [originals = new Float32Array(), ...variants] = await readFeatures(
    paths,
    ["none", ...VARIANTS],
    patches,
  );
  report("learning the projection");
  const projection = fitProjection({
    originals,
    variants,
    products: photographs.map(({ product }) => product),
    // A class of products that are each pictured several times would only repeat what the products say.
    classes: photographs.map((photograph) => (photograph.product === "" ? photograph.class : "")),
  });
  return { patches, projection, trainedOn: paths.map((path) => fingerprint(readFileSync(path))) };
}

/** Tells whether a picture was trained on. */
export function fingerprint(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}
