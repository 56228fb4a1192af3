import { workerData } from "node:worker_threads";
import type { Weights } from "../src/descriptor/weights.ts";
import { type Form, formsOf } from "../train/forms.ts";
import type { Share } from "../train/share-among-workers.ts";
import { createDescriber, type Method, methodLengths } from "./methods.ts";

export interface DescribeTask {
  readonly paths: readonly string[];
  readonly forms: readonly Form[];
  readonly methods: readonly Method[];
  readonly weights: Omit<Weights, "id">;
  /** Where the vectors go: for each form and then each method a table, one image a row. */
  readonly tables: readonly SharedArrayBuffer[];
}

const { paths, forms, methods, weights, tables, first, step }: DescribeTask & Share = workerData;
const describe = createDescriber(weights);
const rows = tables.map((table) => new Float32Array(table));
for (let index = first; index < paths.length; index += step) {
  let table = 0;
  for await (const raster of formsOf(paths, index, forms)) {
    const vectors = describe(raster);
    for (const method of methods) rows[table++]?.set(vectors[method], index * methodLengths[method]);
  }
}
