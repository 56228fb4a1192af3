import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { openSegment } from "./segment.ts";
import { FORMAT_VERSION } from "./segment-layout.ts";
import type { Snapshot, SnapshotSegment } from "./snapshot.ts";

const MANIFEST = "manifest.json";
const DATA_FILE = /^[0-9a-f-]{36}\.(?:segment|deletions)-[0-9a-f]{8}$/;
const CHUNK = 1 << 24;

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
 * and renamed into place, so that a crash leaves the former snapshot or the new one.
 * `identity` names what the index was derived from, for example the id of the database.
 */
export function writeSnapshot(folder: string, snapshot: Snapshot, identity: string): void {
  mkdirSync(folder, { recursive: true });
  const known = new Map(
    readKnownFiles(folder).map((entry) => [entry.file.split("-").slice(0, -1).join("-"), entry]),
  );
  const segments = snapshot.segments.map(({ key, buffer, deletions, deletedCount }) => ({
    key,
    data: known.get(`${key}.segment`) ?? writeData(folder, `${key}.segment`, new Uint8Array(buffer)),
    deletions: deletions === undefined ? null : writeData(folder, `${key}.deletions`, deletions),
    deletedCount,
  }));
  const body = JSON.stringify({
    format: FORMAT_VERSION,
    identity,
    sequence: snapshot.sequence,
    segments,
  } satisfies Manifest);
  writeAtomically(folder, MANIFEST, [new TextEncoder().encode(`${crc32(body)}\n${body}\n`)]);
  const needed = new Set(segments.flatMap(({ data, deletions }) => [data.file, deletions?.file]));
  for (const file of readdirSync(folder)) {
    if (file !== MANIFEST && !needed.has(file)) rmSync(join(folder, file), { force: true });
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
  // The checksum says that we wrote it, hence its shape.
  return JSON.parse(body) as Manifest;
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

function writeData(folder: string, name: string, data: Uint8Array): FileEntry {
  const checksum = crc32(data);
  const file = `${name}-${checksum.toString(16).padStart(8, "0")}`;
  writeAtomically(folder, file, [data]);
  return { file, bytes: data.length, crc32: checksum };
}

function writeAtomically(folder: string, file: string, parts: readonly Uint8Array[]): void {
  const temporary = join(folder, `${file}.new`);
  const descriptor = openSync(temporary, "w");
  try {
    for (const part of parts) {
      for (let at = 0; at < part.length; )
        at += writeSync(descriptor, part, at, Math.min(CHUNK, part.length - at));
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, join(folder, file));
  syncFolder(folder);
}

/** Makes the renaming itself durable. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
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
