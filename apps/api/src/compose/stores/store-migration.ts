import { existsSync } from "node:fs";
import { openDatabase, storeFile } from "@product-search/stores/database/open.ts";
import { openPostgres } from "@product-search/stores/database/postgres/open.ts";
import { secretKeyFile } from "@product-search/stores/secret-box/secret-keys.ts";
import {
  type MigratedResult,
  type MigrationProgress,
  migrateStore,
} from "@product-search/stores/store-migration/migrate-store.ts";
import type { Config } from "../../config.ts";

export type {
  MigratedResult,
  MigrationProgress,
} from "@product-search/stores/store-migration/migrate-store.ts";

export interface StoreMigration extends MigratedResult {
  /** The file whose content is needed as SECRET_KEY from now on; undefined if the setting was used before. */
  secretKeyFile: string | undefined;
}

/** Counting hundreds of millions of rows takes minutes. */
const statementTimeoutMs = 3600 * 1000;

/** Copies the SQLite store in DATA_DIR to PostgreSQL. */
export async function composeStoreMigration(
  config: Pick<Config, "dataDir" | "secretKey">,
  url: string,
  onProgress: (progress: MigrationProgress) => void,
): Promise<StoreMigration> {
  const file = storeFile(config.dataDir);
  if (!existsSync(file)) throw new Error(`${file} does not exist: set DATA_DIR to the folder of the store.`);
  const { connection, close } = await openDatabase(config.dataDir);
  try {
    const target = await openPostgres({ url, maxConnections: 1, statementTimeoutMs });
    try {
      const result = await migrateStore({ connection, db: target.db, onProgress });
      const keyFile = secretKeyFile(config);
      const usesFile = config.secretKey === undefined && existsSync(keyFile);
      return { ...result, secretKeyFile: usesFile ? keyFile : undefined };
    } finally {
      await target.close();
    }
  } finally {
    await close();
  }
}
