import { workerData } from "node:worker_threads";
import { openUnsealed } from "./open-unsealed.ts";
import { sortRows } from "./sort-rows.ts";

// Started with the path of a staging file that all rows were added to.
const connection = openUnsealed(String(workerData));
sortRows(connection);
connection.close();
