import { workerData } from "node:worker_threads";
import { sortRows } from "./sort-rows.ts";
import { openUnsealed } from "./sqlite.ts";

// Started with the path of a staging file that all rows were added to.
const connection = openUnsealed(String(workerData));
sortRows(connection);
connection.close();
