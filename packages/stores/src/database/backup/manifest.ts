import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as Sqlite from "../sqlite.ts";

export const backupFiles = ["store.sqlite", "secret.key"] as const;
export type BackupFile = (typeof backupFiles)[number];

/** The contents of a backup. It is written last: a folder without it is not a backup. */
export interface BackupManifest {
  format: 1;
  createdAt: string;
  /** The version of the database's schema. */
  schemaVersion: number;
  products: number;
  /** The origin of the key that encrypts the secrets in the database. */
  secretKey: "file" | "environment" | "none";
  files: Partial<Record<BackupFile, FileCheck>>;
}

export interface FileCheck {
  bytes: number;
  sha256: string;
}

const manifestName = "manifest.json";
const namePrefix = "backup-";

export function manifestFile(folder: string): string {
  return join(folder, manifestName);
}

/** Names in alphabetical order are in order of age. */
export function backupName(atMs: number): string {
  return `${namePrefix}${new Date(atMs).toISOString().replaceAll(":", "-")}`;
}

/** Undefined for another file. */
export function backupTimeMs(path: string): number | undefined {
  const [, day, hour, minute, rest] = /backup-(.{10}T)(\d\d)-(\d\d)-([\d.]+Z)$/.exec(path) ?? [];
  const atMs = Date.parse(`${day}${hour}:${minute}:${rest}`);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** The complete backups in a folder, oldest first. */
export async function listBackups(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith(namePrefix));
  return names
    .map(({ name }) => name)
    .toSorted()
    .map((name) => join(folder, name));
}

export async function checkOf(file: string): Promise<FileCheck> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return { bytes: (await stat(file)).size, sha256: hash.digest("hex") };
}

/** Fails if the folder is not a backup, or a file has changed. */
export async function readVerified(folder: string): Promise<BackupManifest> {
  const manifest = parseManifest(await readManifest(folder), folder);
  for (const name of backupFiles) {
    const wanted = manifest.files[name];
    if (wanted === undefined) continue;
    const found = await checkOf(join(folder, name)).catch((cause: unknown) => {
      throw new Error(`The backup ${folder} is incomplete: ${name} cannot be read. Use another one.`, {
        cause,
      });
    });
    if (found.sha256 === wanted.sha256 && found.bytes === wanted.bytes) continue;
    throw new Error(
      `The backup ${folder} is damaged: ${name} does not have the checksum in ${manifestName}. Use another one.`,
    );
  }
  return manifest;
}

async function readManifest(folder: string): Promise<string> {
  try {
    return await readFile(manifestFile(folder), "utf8");
  } catch (cause) {
    throw new Error(`${folder} is not a backup: it has no ${manifestName}.`, { cause });
  }
}

function parseManifest(text: string, folder: string): BackupManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isManifest(value)) return value;
  throw new Error(`The ${manifestName} of the backup ${folder} cannot be read. Use another one.`);
}

function isManifest(value: unknown): value is BackupManifest {
  return (
    typeof value === "object" &&
    value !== null &&
    "format" in value &&
    value.format === 1 &&
    "schemaVersion" in value &&
    typeof value.schemaVersion === "number" &&
    "files" in value &&
    typeof value.files === "object" &&
    value.files !== null &&
    "store.sqlite" in value.files
  );
}

/** The key that encrypts the secrets in the database. */
export interface StoreKey {
  /** Its path, unless it comes from the environment. */
  file: string;
  isFromEnvironment: boolean;
  /** Whether it can decrypt this text. */
  opens(sealed: Uint8Array): boolean;
}

export interface CheckedCopy {
  schemaVersion: number;
  products: number;
}

/** Opens a copy of the database and reads every page; fails if anything is damaged. */
export function checkCopy(file: string): CheckedCopy {
  return withCopy(file, (connection) => {
    const [fault] = connection.prepare<[], { integrity_check: string }>("pragma integrity_check(1)").all();
    if (fault?.integrity_check !== "ok") throw new Error(`${file} is damaged: ${fault?.integrity_check}`);
    return {
      schemaVersion: Number(connection.pragma("user_version", { simple: true })),
      products: connection.prepare<[], number>("select count(*) from products").pluck().get() ?? 0,
    };
  });
}

/** Whether the key can decrypt the copy's secrets; undefined if the copy has no check value. */
export function keyOpens(file: string, key: StoreKey): boolean | undefined {
  return withCopy(file, (connection) => {
    const check = connection
      .prepare<[], { sealed: Uint8Array }>("select sealed from secrets where name = 'check'")
      .get();
    return check && key.opens(check.sealed);
  });
}

function withCopy<Result>(file: string, use: (connection: Sqlite.Database) => Result): Result {
  const connection = new Sqlite.Database(file, { readonly: true, fileMustExist: true });
  try {
    return use(connection);
  } finally {
    connection.close();
  }
}

/** Flushes a file, or the names in a folder, to disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
