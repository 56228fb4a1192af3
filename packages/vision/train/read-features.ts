import { featuresLength, type PatchModel } from "../src/descriptor/features.ts";
import { embeddingLength } from "../src/learned/network.ts";
import type { FeatureTask } from "./feature-worker.ts";
import type { Form } from "./forms.ts";
import { shareAmongWorkers } from "./share-among-workers.ts";

/** The features of every image in every form, computed on all cores: a table for each form, one image per row. */
export function readFeatures(
  paths: readonly string[],
  forms: readonly Form[],
  model: PatchModel,
): Promise<Float32Array[]> {
  return readTables({ paths, indices: [...paths.keys()], forms, model }, featuresLength);
}

/** What the network makes of every image as it is, and of some in the other forms. */
export async function readEmbeddings(
  paths: readonly string[],
  varied: readonly number[],
  [plain, ...forms]: readonly [Form, ...Form[]],
): Promise<Float32Array[]> {
  const task = { paths, model: "network" } as const;
  const originals = await readTables(
    { ...task, indices: [...paths.keys()], forms: [plain] },
    embeddingLength,
  );
  return [...originals, ...(await readTables({ ...task, indices: varied, forms }, embeddingLength))];
}

async function readTables(task: Omit<FeatureTask, "tables">, length: number): Promise<Float32Array[]> {
  const tables = task.forms.map(() => new SharedArrayBuffer(task.indices.length * length * 4));
  const url = new URL("./feature-worker.ts", import.meta.url);
  await shareAmongWorkers(url, { ...task, tables } satisfies FeatureTask, task.indices.length);
  return tables.map((table) => new Float32Array(table));
}
