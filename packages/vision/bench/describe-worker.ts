import { workerData } from "node:worker_threads";
import { type Form, formsOf } from "../train/scenes.ts";
import type { Share } from "../train/share-among-workers.ts";
import type { TrainedWeights } from "../train/train-weights.ts";
import { createMethods, type Method, methodLengths } from "./evaluate-retrieval.ts";

export interface DescribeTask {
  readonly paths: readonly string[];
  readonly forms: readonly Form[];
  readonly methods: readonly Method[];
  readonly weights: TrainedWeights;
  /** Where the vectors go: for each form and then each method a table, one image a row. */
  readonly tables: readonly SharedArrayBuffer[];
}

const { paths, forms, methods, weights, tables, first, step }: DescribeTask & Share = workerData;
const describe = createMethods(weights);
const rows = tables.map((table) => new Float32Array(table));
for (let index = first; index < paths.length; index += step) {
  let table = 0;
  for await (const image of formsOf(paths, index, forms)) {
    const vectors = await describe(image);
    for (const method of methods) rows[table++]?.set(vectors[method], index * methodLengths[method]);
  }
}
