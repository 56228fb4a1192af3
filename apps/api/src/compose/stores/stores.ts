import { type Clock, systemClock } from "@product-search/core/ports/clock.ts";
import type { OpenOptions } from "@product-search/stores/database/open.ts";
import type { Config } from "../../config.ts";
import { composeSqliteStores } from "./sqlite-stores.ts";
import type { Stores } from "./store-types.ts";

export type { Stores } from "./store-types.ts";

/**
 * For commands that only read, or only change what is there already. With a wrong DATA_DIR they would otherwise create a
 * store and report that it is empty.
 */
export async function composeExistingStores(config: Config): Promise<Stores> {
  if (config.databaseUrl === undefined) return composeSqliteStores(config, systemClock, { mustExist: true });
  const { composePostgresStores } = await import("./postgres-stores.ts");
  return composePostgresStores({ ...config, databaseUrl: config.databaseUrl }, { mustExist: true });
}

/** PostgreSQL if DATABASE_URL is set, else SQLite in DATA_DIR. */
export async function composeStores(
  config: Config,
  clock: Clock = systemClock,
  options: Omit<OpenOptions, "mustExist"> = {},
): Promise<Stores> {
  if (config.databaseUrl === undefined) return composeSqliteStores(config, clock, options);
  // Loaded only here: a service on one machine does not need this code.
  const { composePostgresStores } = await import("./postgres-stores.ts");
  return composePostgresStores({ ...config, databaseUrl: config.databaseUrl });
}
