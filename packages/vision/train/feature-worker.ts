import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { decodeImage, type Raster } from "../src/decode-image.ts";
import { createFeatureReader, FEATURES_LENGTH, type PatchModel, RASTER_SIDE } from "../src/features.ts";
import { openImage } from "../src/open-image.ts";
import { augment, plainCopy, type TransformName } from "./augment.ts";

/** A share of the pictures: which, how transformed, and where their features go. */
export interface FeatureTask {
  readonly paths: readonly string[];
  readonly transforms: readonly (TransformName | "none")[];
  readonly model: PatchModel;
  /** A table for each transform, one picture a row. */
  readonly tables: readonly SharedArrayBuffer[];
  /** This worker takes every `step`th picture from the `first`. */
  readonly first: number;
  readonly step: number;
}

/** An unrelated picture to put behind picture `index`, always the same one. */
function backdropOf(index: number, count: number): number {
  return (index * 7919 + 311) % count;
}

export async function readRaster(path: string): Promise<Raster> {
  return decodeImage(await openImage(readFileSync(path)), RASTER_SIDE);
}

/** One picture in each of the forms, in their order. */
async function* formsOf(paths: readonly string[], index: number, transforms: FeatureTask["transforms"]) {
  const path = paths[index] ?? "";
  const picture = await plainCopy(readFileSync(path));
  const backdrop = await plainCopy(readFileSync(paths[backdropOf(index, paths.length)] ?? path));
  for (const name of transforms) {
    const bytes = name === "none" ? readFileSync(path) : await augment(name, picture, backdrop);
    yield decodeImage(await openImage(bytes), RASTER_SIDE);
  }
}

parentPort?.on("message", async ({ paths, transforms, model, tables, first, step }: FeatureTask) => {
  const read = createFeatureReader(model);
  const rows = tables.map((table) => new Float32Array(table));
  for (let index = first; index < paths.length; index += step) {
    let which = 0;
    for await (const raster of formsOf(paths, index, transforms)) {
      rows[which++]?.set(read(raster), index * FEATURES_LENGTH);
    }
  }
  parentPort?.close();
});
