import { featuresLength, type PatchModel } from "../src/descriptor/features.ts";
import type { FeatureTask } from "./feature-worker.ts";
import type { Form } from "./forms.ts";
import { shareAmongWorkers } from "./share-among-workers.ts";

/** The features of every image in every form, computed on all cores: a table for each form, one image per row. */
export async function readFeatures(
  paths: readonly string[],
  forms: readonly Form[],
  model: PatchModel,
): Promise<Float32Array[]> {
  const tables = forms.map(() => new SharedArrayBuffer(paths.length * featuresLength * 4));
  const task: FeatureTask = { paths, forms, model, tables };
  await shareAmongWorkers(new URL("./feature-worker.ts", import.meta.url), task, paths.length);
  return tables.map((table) => new Float32Array(table));
}
