import * as Sqlite from "../database/sqlite.ts";

/** For one writer at a time. Nothing is durable until the file is sealed. */
export function openUnsealed(file: string): Sqlite.Database {
  const connection = new Sqlite.Database(file);
  connection.pragma("journal_mode = OFF");
  connection.pragma("synchronous = OFF");
  connection.pragma("locking_mode = EXCLUSIVE");
  connection.pragma("temp_store = FILE");
  return connection;
}
