import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { explainStoreError } from "../explain-store-fault.ts";
import { storeFile } from "../open.ts";
import * as Sqlite from "../sqlite.ts";
import { checkCopy, keyOpens, type StoreKey } from "./check-copy.ts";
import { type BackupManifest, backupName, checkOf, listBackups, manifestFile } from "./manifest.ts";
import { restoreBackup } from "./restore-backup.ts";
import { syncPath } from "./sync-path.ts";

export interface WriteBackupSettings {
  dataDir: string;
  key: StoreKey;
  /** The folder for backups; each backup is a folder in it. */
  folder: string;
  atMs: number;
}

export interface WrittenBackup extends BackupManifest {
  path: string;
}

const draftPrefix = ".unfinished-";
const dayMs = 24 * 3600 * 1000;

/**
 * Makes a consistent copy of the database, even during writes, and copies the key file. It is restored into a temporary
 * folder before it gets its final name, so a folder with the name of a backup is always complete.
 * `VACUUM INTO` is one read transaction: a copy of the file misses what is in the write-ahead log, and SQLite's backup
 * interface begins again after each write of another process, so it need not end during an import.
 */
export async function writeBackup(settings: WriteBackupSettings): Promise<WrittenBackup> {
  const { dataDir, folder, atMs } = settings;
  const source = storeFile(dataDir);
  if (!existsSync(source)) {
    throw new Error(`There is no database in DATA_DIR "${dataDir}": set DATA_DIR to that of the service.`);
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(join(folder, draftPrefix));
  try {
    const manifest = await fill(draft, source, settings);
    await tryRestore(draft, settings);
    const path = join(folder, backupName(atMs));
    await rename(draft, path);
    await syncPath(folder);
    return { ...manifest, path };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Removes all backups except the newest, and files of interrupted commands. Returns the removed paths. */
export async function removeOldBackups(folder: string, keep: number, nowMs: number): Promise<string[]> {
  const backups = await listBackups(folder);
  const old = backups.slice(0, Math.max(0, backups.length - keep));
  for (const path of old) await rm(path, { recursive: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const isOld = name.startsWith(draftPrefix) && (await stat(path)).mtimeMs < nowMs - dayMs;
    if (isOld) await rm(path, { recursive: true });
  }
  return old;
}

async function fill(draft: string, source: string, settings: WriteBackupSettings): Promise<BackupManifest> {
  const copy = join(draft, "store.sqlite");
  copyDatabase(source, copy);
  await syncPath(copy);
  const { schemaVersion, products } = checkCopy(copy);
  const { key } = settings;
  const hasKeyFile = !key.isFromEnvironment && existsSync(key.file);
  const keyCopy = join(draft, "secret.key");
  if (hasKeyFile) {
    await copyFile(key.file, keyCopy);
    await syncPath(keyCopy);
  }
  if ((hasKeyFile || key.isFromEnvironment) && keyOpens(copy, key) === false) {
    throw new Error(
      "The present secret key does not open the secrets in the database: with this backup they would be lost. `pnpm api doctor` says more.",
    );
  }
  const manifest: BackupManifest = {
    format: 1,
    createdAt: new Date(settings.atMs).toISOString(),
    schemaVersion,
    products,
    secretKey: hasKeyFile ? "file" : key.isFromEnvironment ? "environment" : "none",
    files: {
      "store.sqlite": await checkOf(copy),
      ...(hasKeyFile && { "secret.key": await checkOf(keyCopy) }),
    },
  };
  await writeFile(manifestFile(draft), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 });
  await syncPath(manifestFile(draft));
  await syncPath(draft);
  return manifest;
}

/** Reads each checksum and each page, as a restore in an emergency does. */
async function tryRestore(draft: string, { key, atMs }: WriteBackupSettings): Promise<void> {
  const dataDir = join(draft, "restored");
  await restoreBackup({
    dataDir,
    key: { ...key, file: join(dataDir, "secret.key") },
    folder: draft,
    force: false,
    atMs,
  });
  await rm(dataDir, { recursive: true });
}

/** The copy is one read transaction: it sees the database as of its start, and blocks no writer. */
function copyDatabase(source: string, copy: string): void {
  let connection: Sqlite.Database | undefined;
  try {
    // Not migrated, so that a backup before an upgrade has the former schema.
    connection = new Sqlite.Database(source, { fileMustExist: true });
    connection.pragma("busy_timeout = 10000");
    connection.prepare("vacuum into ?").run(copy);
  } catch (error) {
    throw explainStoreError(error, source);
  } finally {
    connection?.close();
  }
}
