import { assertUndamaged } from "../adapters/database/damage.ts";
import { type OpenDatabase, openDatabase, storeFile } from "../adapters/database/open.ts";
import { acceptSecretKey, assertSecretKey } from "../adapters/secret-box/stored-check.ts";
import type { Config } from "../config.ts";

/**
 * Whatever about the store would otherwise fail in the middle of the work is refused here, before anything is served.
 * `isThorough` reads all of a large store, too.
 */
export function checkStore(config: Config, isThorough = false): Promise<void> {
  return withDatabase(config, async ({ db, connection }) => {
    await assertUndamaged(connection, storeFile(config.dataDir), isThorough);
    await assertSecretKey({ db, ...config });
  });
}

/** For an operator whose former key is lost: the present one is used from now on. Gives the webhooks that it cannot sign for. */
export function acceptPresentSecretKey(config: Config): Promise<string[]> {
  return withDatabase(config, async ({ db }) => acceptSecretKey({ db, ...config }));
}

async function withDatabase<Result>(
  { dataDir }: Config,
  use: (database: OpenDatabase) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase(dataDir);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}
