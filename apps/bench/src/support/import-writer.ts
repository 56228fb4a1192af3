import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "@product-search/stores/database/open.ts";

/** Another writer during an import: it makes small transactions at intervals and measures their time. */
const { dataDir, everyMs }: { dataDir: string; everyMs: number } = workerData;
const { connection, close } = await openDatabase(dataDir);
connection.exec("create table if not exists bench_writes (at integer)");
const insert = connection.prepare("insert into bench_writes values (?)");
const write = connection.transaction(() => void insert.run(Date.now()));
const waitsMs: number[] = [];
let stopping = false;
parentPort?.once("message", () => {
  stopping = true;
});
parentPort?.postMessage("ready");
while (!stopping) {
  const startedAt = performance.now();
  write.immediate();
  waitsMs.push(performance.now() - startedAt);
  await setTimeout(everyMs * (0.5 + Math.random()));
}
await close();
parentPort?.postMessage(waitsMs);
parentPort?.close();
