import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { openSegment } from "./segment.ts";
import { FORMAT_VERSION } from "./segment-layout.ts";
import type { Snapshot, SnapshotSegment } from "./snapshot.ts";

const MANIFEST = "manifest.json";
const DATA_FILE = /^[0-9a-f-]{36}\.(?:segment|deletions)-[0-9a-f]{8}$/;
const CHECKSUM_LENGTH = 8;
const CHUNK = 1 << 23;

interface FileEntry {
  readonly file: string;
  readonly bytes: number;
  readonly crc32: number;
}

interface Manifest {
  readonly format: number;
  readonly identity: string;
  readonly sequence: number;
  readonly segments: ReadonlyArray<{
    readonly key: string;
    readonly data: FileEntry;
    readonly deletions: FileEntry | null;
    readonly deletedCount: number;
  }>;
}

export type ReadSnapshot =
  | { readonly usable: true; readonly snapshot: Snapshot }
  /** The caller rebuilds. The reason is for its log. */
  | { readonly usable: false; readonly reason: string };

/**
 * Keeps a snapshot in a folder of its own. Segments already there are not written again. The manifest is written last
 * and renamed into place, so that a crash leaves the former snapshot or the new one. One call at a time.
 * `identity` names what the index was derived from, for example the id of the database.
 */
export async function writeSnapshot(folder: string, snapshot: Snapshot, identity: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const known = new Map(
    readKnownFiles(folder).map((entry) => [entry.file.slice(0, -CHECKSUM_LENGTH), entry]),
  );
  const segments: Manifest["segments"][number][] = [];
  for (const { key, buffer, deletions, deletedCount } of snapshot.segments) {
    const name = `${key}.segment-`;
    const data = known.get(name) ?? (await writeData(folder, name, new Uint8Array(buffer)));
    const marks = deletions === undefined ? null : await writeData(folder, `${key}.deletions-`, deletions);
    segments.push({ key, data, deletions: marks, deletedCount });
  }
  const manifest: Manifest = { format: FORMAT_VERSION, identity, sequence: snapshot.sequence, segments };
  const body = JSON.stringify(manifest);
  await writeAtomically(folder, MANIFEST, new TextEncoder().encode(`${crc32(body)}\n${body}\n`));
  const needed = new Set(segments.flatMap(({ data, deletions }) => [data.file, deletions?.file]));
  for (const file of await readdir(folder)) {
    if (file !== MANIFEST && !needed.has(file)) await rm(join(folder, file), { force: true });
  }
}

/** The snapshot kept in a folder, or why it cannot be used: absent, damaged, of another format or identity. Never throws. */
export function readSnapshot(folder: string, identity: string): ReadSnapshot {
  try {
    const manifest = readManifest(folder);
    if (manifest.format !== FORMAT_VERSION)
      throw new Error(`format ${manifest.format}, this is ${FORMAT_VERSION}`);
    if (manifest.identity !== identity) throw new Error("it belongs to another store");
    const segments = manifest.segments.map((entry): SnapshotSegment => {
      const buffer = readData(folder, entry.data);
      const { documents } = openSegment({ key: entry.key, buffer });
      const deletions =
        entry.deletions === null ? undefined : new Uint8Array(readData(folder, entry.deletions));
      if (deletions !== undefined && deletions.length !== (documents + 7) >>> 3)
        throw new Error("deletions of another segment");
      return { key: entry.key, buffer, deletions, deletedCount: entry.deletedCount };
    });
    return { usable: true, snapshot: { sequence: manifest.sequence, segments } };
  } catch (error) {
    return { usable: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

function readManifest(folder: string): Manifest {
  const text = readFileSync(join(folder, MANIFEST), "utf8");
  const [checksum, body = ""] = text.split("\n", 2);
  if (checksum !== String(crc32(body))) throw new Error("the manifest is damaged");
  const manifest: unknown = JSON.parse(body);
  if (!isManifest(manifest)) throw new Error("the manifest has another shape");
  return manifest;
}

/** Enough to tell the formats apart: the checksum says that we wrote it. */
function isManifest(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null) return false;
  return (
    "format" in value &&
    "identity" in value &&
    "sequence" in value &&
    "segments" in value &&
    Array.isArray(value.segments)
  );
}

function readKnownFiles(folder: string): FileEntry[] {
  try {
    const entries = readManifest(folder).segments.map(({ data }) => data);
    return entries.filter(
      ({ file, bytes }) => DATA_FILE.test(file) && statSync(join(folder, file)).size === bytes,
    );
  } catch {
    return [];
  }
}

async function writeData(folder: string, name: string, data: Uint8Array): Promise<FileEntry> {
  const checksum = await checksumOf(data);
  const file = `${name}${checksum.toString(16).padStart(CHECKSUM_LENGTH, "0")}`;
  await writeAtomically(folder, file, data);
  return { file, bytes: data.length, crc32: checksum };
}

/** In pieces with pauses: the thread goes on serving updates. */
async function checksumOf(data: Uint8Array): Promise<number> {
  let checksum = 0;
  for (let at = 0; at < data.length; at += CHUNK) {
    checksum = crc32(data.subarray(at, at + CHUNK), checksum);
    await setImmediate();
  }
  return checksum;
}

async function writeAtomically(folder: string, file: string, data: Uint8Array): Promise<void> {
  const temporary = join(folder, `${file}.new`);
  const handle = await open(temporary, "w");
  try {
    for (let at = 0; at < data.length; ) {
      at += (await handle.write(data, at, Math.min(CHUNK, data.length - at))).bytesWritten;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, join(folder, file));
  await syncFolder(folder);
}

/** Makes the renaming itself durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function readData(folder: string, { file, bytes, crc32: checksum }: FileEntry): SharedArrayBuffer {
  if (!DATA_FILE.test(file)) throw new Error(`unexpected file name ${JSON.stringify(file)}`);
  const path = join(folder, file);
  if (statSync(path).size !== bytes) throw new Error(`${file} has another size than when it was written`);
  const buffer = new SharedArrayBuffer(bytes);
  const view = new Uint8Array(buffer);
  const descriptor = openSync(path, "r");
  try {
    for (let at = 0; at < bytes; ) {
      const read = readSync(descriptor, view, at, Math.min(CHUNK, bytes - at), at);
      if (read === 0) throw new Error(`${file} ends early`);
      at += read;
    }
  } finally {
    closeSync(descriptor);
  }
  if (crc32(view) !== checksum) throw new Error(`${file} is damaged: its checksum differs`);
  return buffer;
}
