import { parentPort, workerData } from "node:worker_threads";
import { composeSqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { composeDelivery } from "@product-search/api/compose/webhooks.ts";
import { readConfig } from "@product-search/api/config.ts";

const config = readConfig(workerData);
const stores = await composeSqliteStores(config);
const delivering = composeDelivery(config, stores, {
  onError: (error) => console.error(error),
});
parentPort?.once("message", async () => {
  await delivering.stop();
  await stores.close();
  parentPort?.close();
});
