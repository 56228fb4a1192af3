// Builds parts of the index of a store, like the thread of the service that does.
import { parentPort, workerData } from "node:worker_threads";
import { composePartBuilder } from "@product-search/api/compose/search/text-index.ts";
import { composeSqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { readConfig } from "@product-search/api/config.ts";
import type { PartRows } from "@product-search/text-search/build-index.ts";

const { dataDir }: { dataDir: string } = workerData;
const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
const buildPart = composePartBuilder(await composeSqliteStores(config));
parentPort?.on("message", async (rows: PartRows) => {
  parentPort?.postMessage(await buildPart(rows));
});
