// Runs as a separate process: builds the index of the sample catalog and saves it in a folder.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createSegmentBuilder, snapshotOf, writeSnapshot } from "@product-search/text-index";
import { sampleDocuments, withFiveAttributes } from "./sample-documents.ts";

export interface BuildFigures {
  /** From generating the products to the saved files. */
  readonly buildSeconds: number;
  /** CPU time of it, which depends little on other work on the machine. */
  readonly buildCpuSeconds: number;
  readonly diskMb: number;
}

const [folder = "", products = "0", attributes = "own"] = process.argv.slice(2);
const startedAt = performance.now();
const builder = createSegmentBuilder();
for (const document of sampleDocuments(Number(products)))
  builder.add(attributes === "five" ? withFiveAttributes(document) : document);
await writeSnapshot(folder, snapshotOf(builder.build(), 1), "bench");
const buildSeconds = (performance.now() - startedAt) / 1000;
const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
const { user, system } = process.cpuUsage();
const figures: BuildFigures = {
  buildSeconds,
  buildCpuSeconds: (user + system) / 1e6,
  diskMb: bytes / 2 ** 20,
};
process.stdout.write(JSON.stringify(figures));
