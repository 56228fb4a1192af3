import { parentPort, workerData } from "node:worker_threads";
import { english } from "@product-search/text-index";
import { buildPart, type PartRows } from "@product-search/text-search/build-index.ts";
import { sampleLog } from "./sample-documents.ts";

// Builds parts of the sample's index, like the thread of the service that does.
const log = sampleLog(workerData);
parentPort?.on("message", async (rows: PartRows) => {
  parentPort?.postMessage(await buildPart(log, [english], rows));
});
