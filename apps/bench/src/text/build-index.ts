// Runs as a separate process: builds the index of the sample catalog, with two threads as the service does, and saves it in
// a folder.
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import {
  createSegmentBuilder,
  english,
  type SegmentHandle,
  snapshotOf,
  writeSnapshot,
} from "@product-search/text-index";
import { buildIndex, type PartRows } from "@product-search/text-search/build-index.ts";
import { toIndexDocument } from "@product-search/text-search/to-index.ts";
import { sampleLog, withFiveAttributes } from "./sample-documents.ts";

export interface BuildFigures {
  /** From generating the products to the saved files. */
  readonly buildSeconds: number;
  /** How long this thread invented products meanwhile; the other one did it as well. */
  readonly sampleSeconds: number;
  /** CPU time of it, which depends little on other work on the machine. */
  readonly buildCpuSeconds: number;
  /** The most memory of this process. */
  readonly buildPeakMb: number;
  readonly diskMb: number;
}

const [folder = "", count = "0", attributes = "own"] = process.argv.slice(2);
const products = Number(count);
const startedAt = performance.now();
const log = sampleLog(products);
const segment = attributes === "five" ? await withAttributes() : await ofSample();
await writeSnapshot(folder, snapshotOf(segment, 1), "bench");
const buildSeconds = (performance.now() - startedAt) / 1000;
const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
const { user, system } = process.cpuUsage();
const figures: BuildFigures = {
  buildSeconds,
  sampleSeconds: log.seconds(),
  buildCpuSeconds: (user + system) / 1e6,
  buildPeakMb: process.resourceUsage().maxRSS / 1024,
  diskMb: bytes / 2 ** 20,
};
process.stdout.write(JSON.stringify(figures));

async function withAttributes(): Promise<SegmentHandle> {
  const builder = createSegmentBuilder();
  for (let row = 0; row < products; row++) {
    const scanned = await log.scan(row, 1);
    for (const product of scanned) builder.add(withFiveAttributes(toIndexDocument(product)));
  }
  return builder.build();
}

async function ofSample(): Promise<SegmentHandle> {
  let worker: Worker | undefined;
  const { segment: built } = await buildIndex(log, [english], {
    async build(rows: PartRows) {
      worker ??= new Worker(new URL("./part-thread.ts", import.meta.url), { workerData: products });
      worker.postMessage(rows);
      const [part] = await once(worker, "message");
      return part;
    },
    onError(error) {
      throw error;
    },
  });
  await worker?.terminate();
  if (built === undefined) throw new Error("There are no products.");
  return built;
}
