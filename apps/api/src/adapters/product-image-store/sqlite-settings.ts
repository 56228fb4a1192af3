import type Sqlite from "better-sqlite3";
import type { Clock } from "../../ports/clock.ts";

export interface SqliteProductImageStoreSettings {
  /** Writing methods need it to themselves: no transaction of someone else's may be open on it meanwhile. */
  connection: Sqlite.Database;
  clock: Clock;
}
