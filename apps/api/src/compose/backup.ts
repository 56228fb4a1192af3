import { systemClock } from "@product-search/core/ports/clock.ts";
import { type Restored, restoreBackup } from "@product-search/stores/database/backup/restore-backup.ts";
import {
  removeOldBackups,
  type WrittenBackup,
  writeBackup,
} from "@product-search/stores/database/backup/write-backup.ts";
import { storeKey } from "@product-search/stores/secret-box/stored-check.ts";
import { type Config, ConfigError } from "../config.ts";

export interface BackupReport extends WrittenBackup {
  /** The paths of old backups that were removed. */
  removed: string[];
}

/** Writes a backup into the folder. With `keep`, only that many of the newest backups stay there. */
export async function backUp(
  config: Config,
  folder: string,
  keep: number | undefined,
): Promise<BackupReport> {
  assertEmbedded(config);
  const written = await writeBackup({
    ...config,
    folder,
    key: storeKey(config),
    atMs: systemClock.now(),
  });
  const removed = keep === undefined ? [] : await removeOldBackups(folder, keep, systemClock.now());
  return { ...written, removed };
}

export async function restore(config: Config, folder: string, force: boolean): Promise<Restored> {
  assertEmbedded(config);
  return restoreBackup({ ...config, folder, force, key: storeKey(config), atMs: systemClock.now() });
}

/** A backup of the database file would be one of another store than the service uses. */
function assertEmbedded({ databaseUrl }: Config): void {
  if (databaseUrl === undefined) return;
  throw new ConfigError(
    "DATABASE_URL is set, and this command is for the database in DATA_DIR: back up and restore PostgreSQL with pg_dump and pg_restore, and keep the secret key.",
  );
}
