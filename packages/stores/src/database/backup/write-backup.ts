import { constants, existsSync } from "node:fs";
import { copyFile, link, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { explainStoreError } from "../explain-store-fault.ts";
import { newestVersion } from "../migrate.ts";
import { storeFile } from "../open.ts";
import * as Sqlite from "../sqlite.ts";
import {
  type BackupManifest,
  backupName,
  checkCopy,
  checkOf,
  keyOpens,
  listBackups,
  manifestFile,
  readVerified,
  type StoreKey,
  syncPath,
} from "./manifest.ts";

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

export interface RestoreSettings {
  dataDir: string;
  key: StoreKey;
  /** A backup, or a folder of backups, of which the newest is used. */
  folder: string;
  /** Restore even if the current database cannot be opened, so that it is unknown whether it is in use. */
  force: boolean;
  atMs: number;
}

export interface Restored extends BackupManifest {
  path: string;
  /** The new location of the former files; undefined if there were none. */
  formerFiles: string | undefined;
}

/** Derived from the database: the service builds them again. */
const derivedFolders = ["text-index", "vectors"];

/**
 * Replaces the database by a backup. Everything is checked first. The former files are kept in another folder. The new
 * database is renamed into place last; until then the former one is complete.
 */
export async function restoreBackup(settings: RestoreSettings): Promise<Restored> {
  const { dataDir, atMs } = settings;
  const path = await findBackup(settings.folder);
  const manifest = await readVerified(path);
  if (manifest.schemaVersion > newestVersion) {
    throw new Error(
      `The backup ${path} was made by a newer release (version ${manifest.schemaVersion} of the database; this release knows ${newestVersion}). Restore it with that release.`,
    );
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${storeFile(dataDir)}.restoring`;
  await rm(draft, { force: true });
  const unlock = lockPresent(settings);
  try {
    await copyFile(join(path, "store.sqlite"), draft, constants.COPYFILE_FICLONE);
    await syncPath(draft);
    checkCopy(draft);
    assertKey(settings.key, path, manifest, draft);
    const formerFiles = await keepFormer(settings, atMs);
    for (const name of derivedFolders) await rm(join(dataDir, name), { recursive: true, force: true });
    if (manifest.secretKey === "file") await replace(join(path, "secret.key"), settings.key.file);
    await rename(draft, storeFile(dataDir));
    await syncPath(dataDir);
    return { ...manifest, path, formerFiles };
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    unlock();
  }
}

async function findBackup(folder: string): Promise<string> {
  if (existsSync(manifestFile(folder))) return folder;
  const newest = (await listBackups(folder).catch((): string[] => [])).at(-1);
  if (newest !== undefined) return newest;
  throw new Error(`There is no backup in ${folder}: name a folder that \`pnpm api backup\` wrote to.`);
}

/** Fails while a service or command has the database open. The lock is held until the returned function is called. */
function lockPresent({ dataDir, force }: RestoreSettings): () => void {
  const file = storeFile(dataDir);
  if (!existsSync(file)) return () => {};
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite.Database(file, { timeout: 0 });
    // A connection can leave the WAL mode only if there is no other. Then all data is in one file.
    connection.pragma("journal_mode = delete");
    connection.exec("begin exclusive");
    return () => void connection?.close();
  } catch (error) {
    connection?.close();
    if (error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code)) {
      throw new Error(
        `The database ${file} is in use: stop the service and all commands that use it, then restore again.`,
        { cause: error },
      );
    }
    if (force) return () => {};
    const reason = explainStoreError(error, file);
    throw new Error(
      `${reason instanceof Error ? reason.message : String(reason)} So nobody can say whether a service uses it: make sure that none does, and pass --force.`,
      { cause: error },
    );
  }
}

function assertKey(key: StoreKey, path: string, manifest: BackupManifest, draft: string): void {
  if (!key.isFromEnvironment) {
    if (manifest.secretKey !== "environment") return;
    throw new Error(
      `The backup ${path} was made with SECRET_KEY, and does not contain the key: set SECRET_KEY to it.`,
    );
  }
  if (keyOpens(draft, key) !== false) return;
  throw new Error(
    manifest.secretKey === "file"
      ? `SECRET_KEY is not the key of the backup ${path}, which contains its own: unset SECRET_KEY.`
      : `SECRET_KEY is not the key of the backup ${path}: set it to the key of that time.`,
  );
}

/** Gives the database a second name, so that it is never missing, and moves the other files. */
async function keepFormer(settings: RestoreSettings, atMs: number): Promise<string | undefined> {
  const file = storeFile(settings.dataDir);
  if (!existsSync(file)) return undefined;
  const folder = join(settings.dataDir, `replaced-${new Date(atMs).toISOString().replaceAll(":", "-")}`);
  await mkdir(folder, { mode: 0o700 });
  await link(file, join(folder, "store.sqlite"));
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    if (existsSync(file + suffix)) await rename(file + suffix, join(folder, `store.sqlite${suffix}`));
  }
  const { file: keyFile } = settings.key;
  if (existsSync(keyFile)) await copyFile(keyFile, join(folder, "secret.key"));
  await syncPath(folder);
  return folder;
}

async function replace(from: string, to: string): Promise<void> {
  const draft = `${to}.restoring`;
  await copyFile(from, draft);
  await syncPath(draft);
  await rename(draft, to);
  await syncPath(dirname(to));
}
