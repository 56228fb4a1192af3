import { parentPort } from "node:worker_threads";
import { openDatabase } from "../src/adapters/database/open.ts";

/** Opens the store in each folder that it is told of, and tells what went wrong. */
parentPort?.on("message", async (dataDir: string) => {
  try {
    const store = await openDatabase(dataDir);
    await store.close();
    parentPort?.postMessage("opened");
  } catch (error) {
    parentPort?.postMessage(String(error));
  }
});
