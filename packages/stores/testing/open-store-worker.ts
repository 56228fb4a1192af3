import { parentPort } from "node:worker_threads";
import { openDatabase } from "../src/database/open.ts";

/** Opens the database in each folder that it is sent, and reports errors. */
parentPort?.on("message", async (dataDir: string) => {
  try {
    const store = await openDatabase(dataDir);
    await store.close();
    parentPort?.postMessage("opened");
  } catch (error) {
    parentPort?.postMessage(String(error));
  }
});
