import { access, constants, mkdir } from "node:fs/promises";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import type { Leading } from "@product-search/core/ports/leases.ts";
import { backupTimeMs, listBackups } from "@product-search/stores/database/backup/manifest.ts";
import {
  type Restored,
  removeOldBackups,
  restoreBackup,
  type WrittenBackup,
  writeBackup,
} from "@product-search/stores/database/backup/write-backup.ts";
import { storeKey } from "@product-search/stores/secret-box/stored-check.ts";
import { type BackupSettings, type Config, ConfigError } from "../config.ts";
import type { Stores } from "./stores/stores.ts";

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

/** Creates the folder of the daily backups. A service that could never write one does not start. */
export async function assertBackupFolder({ dir }: BackupSettings): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await access(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new ConfigError(
      `BACKUP_DIR="${dir}": backups cannot be written there: create the folder and give it to the user that runs the service.`,
      { cause },
    );
  }
}

/** When the newest backup was made. A folder that cannot be read has none: writing one will say why. */
export async function newestBackupMs({ dir }: BackupSettings): Promise<number | undefined> {
  const times = (await listBackups(dir).catch(() => [])).map(backupTimeMs);
  return times.findLast((atMs) => atMs !== undefined);
}

const dayMs = 24 * 3600 * 1000;

/** The last time at which a backup was due. */
export function lastDueMs({ atMinute }: Pick<BackupSettings, "atMinute">, nowMs: number): number {
  const offsetMs = atMinute * 60_000;
  return Math.floor((nowMs - offsetMs) / dayMs) * dayMs + offsetMs;
}

/** Failures are repeated, and a clock can be set: so often is looked. */
const lookEveryMs = 10 * 60_000;

/**
 * Has a backup written each day, by one process at a time. One that was missed, because no service ran, is written at the
 * start; so is the first.
 */
export function composeBackups(
  settings: BackupSettings,
  { leases, clock }: Pick<Stores, "leases" | "clock">,
  write: (signal: AbortSignal) => Promise<void>,
): Leading {
  return leases.lead("backup", async ({ signal }) => {
    while (!signal.aborted) {
      const now = clock.now();
      const due = lastDueMs(settings, now);
      if (((await newestBackupMs(settings)) ?? 0) < due) await write(signal);
      await pause(Math.min(due + dayMs - clock.now(), lookEveryMs), signal);
    }
  });
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
