import { type Restored, restoreBackup } from "../adapters/database/backup/restore-backup.ts";
import {
  removeOldBackups,
  type WrittenBackup,
  writeBackup,
} from "../adapters/database/backup/write-backup.ts";
import { storeKey } from "../adapters/secret-box/stored-check.ts";
import { type Config, ConfigError } from "../config.ts";
import { systemClock } from "../ports/clock.ts";

export interface BackupReport extends WrittenBackup {
  /** The paths of old backups that were removed. */
  removed: string[];
}

/** Writes a backup into the folder; when `keep` is given, only so many of the newest stay there. */
export async function backUp(
  config: Config,
  folder: string,
  keep: number | undefined,
): Promise<BackupReport> {
  assertSqlite(config);
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
  assertSqlite(config);
  return restoreBackup({ ...config, folder, force, key: storeKey(config), atMs: systemClock.now() });
}

function assertSqlite({ databaseUrl }: Config): void {
  if (databaseUrl === undefined) return;
  throw new ConfigError(
    "DATABASE_URL is set: back up and restore PostgreSQL with its own tools, such as pg_basebackup or pg_dump. docs/scale.md says how.",
  );
}
