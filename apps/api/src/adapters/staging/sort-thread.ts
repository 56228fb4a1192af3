import { workerData } from "node:worker_threads";
import Sqlite from "better-sqlite3";

// Started with the path of a staging file that all rows were added to.
const connection = new Sqlite(String(workerData));
connection.pragma("journal_mode = OFF");
connection.pragma("synchronous = OFF");
connection.pragma("temp_store = FILE");
connection.exec("create index staged_id on staged (id); create index refused_id on refused (id)");
connection.close();
