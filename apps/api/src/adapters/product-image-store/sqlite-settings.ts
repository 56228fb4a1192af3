import type Sqlite from "better-sqlite3";
import type { Clock } from "../../ports/clock.ts";

export interface SqliteProductImageStoreSettings {
  /** Used only by this store: while it writes, no other code may have a transaction open on this connection. */
  connection: Sqlite.Database;
  clock: Clock;
}
