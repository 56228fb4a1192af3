import { workerData } from "node:worker_threads";
import { createFeatureReader, featuresLength, type PatchModel } from "../src/descriptor/features.ts";
import { type Form, formsOf } from "./forms.ts";
import type { Share } from "./share-among-workers.ts";

export interface FeatureTask {
  readonly paths: readonly string[];
  readonly forms: readonly Form[];
  readonly model: PatchModel;
  /** The output: a table for each form, one image per row. */
  readonly tables: readonly SharedArrayBuffer[];
}

const { paths, forms, model, tables, first, step }: FeatureTask & Share = workerData;
const read = createFeatureReader(model);
const rows = tables.map((table) => new Float32Array(table));
for (let index = first; index < paths.length; index += step) {
  let form = 0;
  for await (const raster of formsOf(paths, index, forms)) {
    rows[form++]?.set(read(raster), index * featuresLength);
  }
}
