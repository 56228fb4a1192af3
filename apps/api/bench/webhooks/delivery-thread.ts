import { parentPort, workerData } from "node:worker_threads";
import { composeStores } from "../../src/compose.ts";
import { composeDelivery } from "../../src/compose-webhooks.ts";
import { readConfig } from "../../src/config.ts";

const config = readConfig(workerData);
const stores = await composeStores(config);
const delivering = composeDelivery(config, stores, {
  onFault: (error) => console.error(error),
});
parentPort?.once("message", async () => {
  await delivering.stop();
  await stores.close();
  parentPort?.close();
});
