import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { rename, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReadDiskSpace } from "@product-search/core/ports/imports.ts";

/** What SQLite needs to open a store: its index of the log, which every thread maps. */
const spareBytes = 1024 * 1024;
/** The file is not made on a disk that is nearly full, where it would take the space that others need. */
const minFreeBytes = 16 * spareBytes;
/** The least that is enough. When the store is closed, SQLite has just freed as much. */
const minSpareBytes = 128 * 1024;

export function createReadDiskSpace(folder: string): ReadDiskSpace {
  return async () => {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  };
}

function spareFile(dataDir: string): string {
  return join(dataDir, "spare-space");
}

/**
 * Makes a file that is removed when the store cannot be opened on a full disk: even a store that is only read needs a few
 * kilobytes. Its content cannot be compressed by the file system.
 */
export async function keepSpareFile(
  dataDir: string,
  readDiskSpace: ReadDiskSpace,
  isClosed = false,
): Promise<void> {
  const file = spareFile(dataDir);
  if (existsSync(file)) return;
  const hasSpace = (await readDiskSpace()).free >= minFreeBytes;
  if (!hasSpace && !isClosed) return;
  const partial = `${file}.part`;
  try {
    await writeFile(partial, randomBytes(hasSpace ? spareBytes : minSpareBytes), { mode: 0o600 });
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Whether there was one. */
export function removeSpareFile(dataDir: string): boolean {
  const file = spareFile(dataDir);
  if (!existsSync(file)) return false;
  rmSync(file, { force: true });
  return true;
}
