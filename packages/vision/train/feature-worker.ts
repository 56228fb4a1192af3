import { workerData } from "node:worker_threads";
import { createFeatureReader, type PatchModel, rasterSide } from "../src/descriptor/features.ts";
import { decodeImage, type OpenedImage } from "../src/image/open-image.ts";
import { loadLearnedEncoder } from "../src/learned/learned-encoder.ts";
import { inputSide } from "../src/learned/network.ts";
import { type Form, formsOf } from "./scenes.ts";
import type { Share } from "./share-among-workers.ts";

export interface FeatureTask {
  readonly paths: readonly string[];
  /** The images to read. */
  readonly indices: readonly number[];
  readonly forms: readonly Form[];
  /** The features of the small model by these words, or else what the network makes of an image. */
  readonly model: PatchModel | "network";
  /** The output: a table for each form, one image per row. */
  readonly tables: readonly SharedArrayBuffer[];
}

const { paths, indices, forms, model, tables, first, step }: FeatureTask & Share = workerData;
const read = createReader();
const rows = tables.map((table) => new Float32Array(table));
for (let row = first; row < indices.length; row += step) {
  let form = 0;
  for await (const image of formsOf(paths, indices[row] ?? 0, forms)) {
    const values = await read(image);
    rows[form++]?.set(values, row * values.length);
  }
}

function createReader(): (image: OpenedImage) => Promise<Float32Array> {
  if (model === "network") {
    const encoder = loadLearnedEncoder();
    return async (image) => encoder.encode(await decodeImage(image, inputSide));
  }
  const readFeatures = createFeatureReader(model);
  return async (image) => readFeatures(await decodeImage(image, rasterSide));
}
