import { parentPort, workerData } from "node:worker_threads";
import { loadBuiltInModel } from "../src/index.ts";

const pictures: readonly Uint8Array[] = workerData;
const model = loadBuiltInModel();
const vectors = [];
for (const picture of pictures) vectors.push(await model.describe(picture));
parentPort?.postMessage(vectors);
