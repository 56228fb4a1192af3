import { sql } from "kysely";
import { assertUndamaged } from "../adapters/database/damage.ts";
import { openDatabase, storeFile } from "../adapters/database/open.ts";
import type { SecretKeyCheckSettings } from "../adapters/secret-box/stored-check.ts";
import { acceptSecretKey, assertSecretKey } from "../adapters/secret-box/stored-check.ts";
import type { Config } from "../config.ts";

/**
 * Whatever about the store would otherwise fail in the middle of the work is refused here, before anything is served.
 * `isThorough` reads all of a large SQLite store, too. PostgreSQL gets its tables here; its own checks are the server's.
 */
export function checkStore(config: Config, isThorough = false): Promise<void> {
  return withStore(config, isThorough, assertSecretKey);
}

/** For an operator whose former key is lost: the present one is used from now on. Gives the webhooks that it cannot sign for. */
export function acceptPresentSecretKey(config: Config): Promise<string[]> {
  return withStore(config, undefined, acceptSecretKey);
}

/** Nodes work on the database from now on: nothing may be copied over what they write. */
async function endMigration(db: SecretKeyCheckSettings["db"]): Promise<void> {
  await sql`drop table if exists store_migration`.execute(db);
}

/** A new index of a large table takes minutes. */
const migrationTimeoutMs = 4 * 3600 * 1000;

/** A SQLite store is checked for damage first, unless `isThorough` is left out. */
async function withStore<Result>(
  config: Config,
  isThorough: boolean | undefined,
  use: (settings: SecretKeyCheckSettings) => Promise<Result>,
): Promise<Result> {
  const { dataDir, databaseUrl } = config;
  if (databaseUrl !== undefined) {
    const { nameOf, openPostgres } = await import("../adapters/database/postgres/open.ts");
    const { db, close } = await openPostgres({ url: databaseUrl, statementTimeoutMs: migrationTimeoutMs });
    if (isThorough === false) await endMigration(db);
    return use({ db, ...config, storeName: `the database ${nameOf(databaseUrl)}` }).finally(close);
  }
  const { db, connection, close } = await openDatabase(dataDir);
  try {
    if (isThorough !== undefined) await assertUndamaged(connection, storeFile(dataDir), isThorough);
    return await use({ db, ...config });
  } finally {
    await close();
  }
}
