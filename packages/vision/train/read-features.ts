import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { FEATURES_LENGTH, type PatchModel } from "../src/features.ts";
import type { TransformName } from "./augment.ts";
import type { FeatureTask } from "./feature-worker.ts";

/** The features of every picture in every form: a table for each transform, one picture a row, on all cores. */
export async function readFeatures(
  paths: readonly string[],
  transforms: readonly (TransformName | "none")[],
  model: PatchModel,
): Promise<Float32Array[]> {
  const tables = transforms.map(() => new SharedArrayBuffer(paths.length * FEATURES_LENGTH * 4));
  const step = Math.min(availableParallelism(), paths.length);
  const workers = Array.from({ length: step }, (_, first) =>
    run({ paths, transforms, model, tables, first, step }),
  );
  await Promise.all(workers);
  return tables.map((table) => new Float32Array(table));
}

function run(task: FeatureTask): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./feature-worker.ts", import.meta.url));
    worker.once("error", reject);
    worker.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`A feature worker ended with ${code}.`)),
    );
    worker.postMessage(task);
  });
}
