import type { Clock } from "@product-search/core/ports/clock.ts";
import type * as Sqlite from "../database/sqlite.ts";

export interface SqliteProductImageStoreSettings {
  /** Used only by this store: while it writes, no other code may have a transaction open on this connection. */
  connection: Sqlite.Database;
  clock: Clock;
}
