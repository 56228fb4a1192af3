import { parentPort, workerData } from "node:worker_threads";
import { loadBuiltInModel } from "../src/index.ts";

const images: readonly Uint8Array[] = workerData;
const model = loadBuiltInModel();
const vectors = [];
for (const image of images) vectors.push(await model.describe(image));
parentPort?.postMessage(vectors);
