// Commits a row at intervals and reports when each commit was done, in milliseconds of the wall clock.
import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../src/database/open.ts";

const { folder, commits, everyMs }: { folder: string; commits: number; everyMs: number } = workerData;
const { connection, close } = await openDatabase(folder);
for (let commit = 0; commit < commits; commit++) {
  await setTimeout(everyMs);
  connection.exec("insert into notes values ('n')");
  parentPort?.postMessage(performance.timeOrigin + performance.now());
}
await close();
