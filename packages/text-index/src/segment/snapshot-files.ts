import { randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, statSync } from "node:fs";
import { mkdir, open, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32, zstdCompress, zstdDecompressSync } from "node:zlib";
import { fillDense } from "./packed-postings.ts";
import { openSegment, type Snapshot, type SnapshotSegment } from "./segment.ts";
import { formatVersion, viewSections } from "./segment-layout.ts";
import { finish } from "./steps.ts";

const manifestFile = "manifest.json";
const dataFile = /^[0-9a-f-]{36}\.(?:segment|deletions)-[0-9a-f]{8}$/;
const checksumLength = 8;
/** A file is a sequence of pieces of so many bytes, each compressed with Zstandard if that saves enough, after its length. */
const pieceBytes = 1 << 20;
const lengthBytes = 4;
/** Postings hardly become smaller, and copying them takes less time than decompressing. */
const worthwhile = 0.6;
const compress: (piece: Uint8Array) => Promise<Uint8Array> = promisify(zstdCompress);
const maxAttempts = 10;
/** Writing a snapshot never takes this long. */
const staleAfterMs = 3_600_000;

interface FileEntry {
  readonly file: string;
  readonly bytes: number;
  /** What it has when it is read: its pieces are compressed. */
  readonly plainBytes: number;
  readonly crc32: number;
}

interface Manifest {
  readonly format: number;
  readonly identity: string;
  readonly sequence: number;
  readonly segments: ReadonlyArray<{
    readonly key: string;
    readonly data: FileEntry;
    /** The end of the segment that is derived from the rest when it is read. */
    readonly derivedBytes: number;
    readonly deletions: FileEntry | null;
    readonly deletedCount: number;
  }>;
}

export type ReadSnapshot =
  | { readonly usable: true; readonly snapshot: Snapshot }
  /** The caller rebuilds the index and logs the reason. */
  | { readonly usable: false; readonly reason: string };

/**
 * Saves a snapshot in its own folder. Segments that are already there are not written again. The manifest is written
 * last and renamed into place, so a crash leaves the former snapshot or the new one. Several processes may do so at
 * once: the last one wins. `identity` names the origin of the data, for example the id of the database.
 */
export async function writeSnapshot(folder: string, snapshot: Snapshot, identity: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const former = readKnownFiles(folder);
    const segments = await writeSegments(folder, snapshot, former);
    const manifest: Manifest = { format: formatVersion, identity, sequence: snapshot.sequence, segments };
    const body = JSON.stringify(manifest);
    const temporary = await writeTemporary(folder, manifestFile, async function* () {
      yield Buffer.from(`${crc32(body)}\n${body}\n`);
    });
    await moveInto(folder, temporary, manifestFile);
    await removeUnneeded(folder, new Set(former.map(({ file }) => file)));
    if (isComplete(folder)) return;
  }
}

/** Another process may have removed a segment that its own manifest did not need, before this one was renamed into place. */
function isComplete(folder: string): boolean {
  return filesOf(readManifest(folder).segments).every(({ file }) => existsSync(join(folder, file)));
}

async function writeSegments(
  folder: string,
  snapshot: Snapshot,
  former: readonly FileEntry[],
): Promise<Manifest["segments"]> {
  const known = new Map(former.map((entry) => [entry.file.slice(0, -checksumLength), entry]));
  const segments: Manifest["segments"][number][] = [];
  for (const { key, buffer, deletions, deletedCount } of snapshot.segments) {
    const name = `${key}.segment-`;
    const storedBytes = viewSections(buffer).denseImpacts.byteOffset;
    const derivedBytes = buffer.byteLength - storedBytes;
    const stored = new Uint8Array(buffer, 0, storedBytes);
    const data = known.get(name) ?? (await writeData(folder, name, stored));
    const marks = deletions === undefined ? null : await writeData(folder, `${key}.deletions-`, deletions);
    segments.push({ key, data, derivedBytes, deletions: marks, deletedCount });
  }
  return segments;
}

/**
 * Files of the former manifest are removed at once. Unknown files may belong to another process that has not written
 * its manifest yet. The manifest is read again before each file, and the file is removed without an await in between.
 */
async function removeUnneeded(folder: string, replaced: ReadonlySet<string>): Promise<void> {
  for (const file of await readdir(folder)) {
    const path = join(folder, file);
    if (file === manifestFile || !(replaced.has(file) || isStale(path))) continue;
    const isNeeded = readKnownFiles(folder).some((entry) => entry.file === file);
    if (!isNeeded) rmSync(path, { force: true });
  }
}

function isStale(path: string): boolean {
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs !== undefined && mtimeMs < Date.now() - staleAfterMs;
}

function filesOf(segments: Manifest["segments"]): FileEntry[] {
  return segments.flatMap(({ data, deletions }) => (deletions === null ? [data] : [data, deletions]));
}

/**
 * The snapshot saved in a folder, or why it cannot be used: absent, damaged, another format or identity. Never
 * throws.
 */
export function readSnapshot(folder: string, identity: string): ReadSnapshot {
  if (!existsSync(join(folder, manifestFile))) return { usable: false, reason: "there is none yet" };
  try {
    const manifest = readManifest(folder);
    if (manifest.format !== formatVersion)
      throw new Error(`format ${manifest.format}, this is ${formatVersion}`);
    if (manifest.identity !== identity) throw new Error("it belongs to another store or to other languages");
    const segments = manifest.segments.map((entry): SnapshotSegment => {
      const buffer = readData(folder, entry.data, entry.derivedBytes);
      const { documents, sections } = openSegment({ key: entry.key, buffer });
      finish(fillDense(sections));
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
  const text = readFileSync(join(folder, manifestFile), "utf8");
  const [checksum, body = ""] = text.split("\n", 2);
  if (checksum !== String(crc32(body))) throw new Error("the manifest is damaged");
  const manifest: unknown = JSON.parse(body);
  if (!isManifest(manifest)) throw new Error("the manifest has another shape");
  return manifest;
}

/** Only distinguishes formats: the checksum proves that this program wrote it. */
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
    return filesOf(readManifest(folder).segments).filter(
      ({ file, bytes }) =>
        dataFile.test(file) && statSync(join(folder, file), { throwIfNoEntry: false })?.size === bytes,
    );
  } catch {
    return [];
  }
}

/** In pieces with pauses, so that the thread can apply updates meanwhile. The checksum is a part of the name. */
async function writeData(folder: string, name: string, data: Uint8Array): Promise<FileEntry> {
  let bytes = 0;
  let checksum = 0;
  const temporary = await writeTemporary(folder, name, async function* () {
    for (let at = 0; at < data.length; at += pieceBytes) {
      const plain = Buffer.from(data.subarray(at, at + pieceBytes));
      const compressed = await compress(plain);
      const stored = compressed.length < plain.length * worthwhile ? compressed : plain;
      const length = Buffer.alloc(lengthBytes);
      length.writeUInt32LE(stored.length);
      for (const part of [length, stored]) {
        bytes += part.length;
        checksum = crc32(part, checksum);
        yield part;
      }
    }
  });
  const file = `${name}${checksum.toString(16).padStart(checksumLength, "0")}`;
  await moveInto(folder, temporary, file);
  return { file, bytes, plainBytes: data.length, crc32: checksum };
}

/** Returns the path of a new file with this content. */
async function writeTemporary(
  folder: string,
  name: string,
  parts: () => AsyncIterable<Uint8Array>,
): Promise<string> {
  const temporary = join(folder, `${name}.${randomUUID()}.new`);
  const handle = await open(temporary, "w");
  try {
    for await (const part of parts()) await handle.writeFile(part);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

async function moveInto(folder: string, temporary: string, file: string): Promise<void> {
  await rename(temporary, join(folder, file));
  await syncFolder(folder);
}

/** Makes the rename durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The content of a file, followed by `further` empty bytes. */
function readData(
  folder: string,
  { file, bytes, plainBytes, crc32: checksum }: FileEntry,
  further = 0,
): SharedArrayBuffer {
  if (!dataFile.test(file)) throw new Error(`unexpected file name ${JSON.stringify(file)}`);
  const path = join(folder, file);
  if (statSync(path).size !== bytes) throw new Error(`${file} has another size than when it was written`);
  const buffer = new SharedArrayBuffer(plainBytes + further);
  const descriptor = openSync(path, "r");
  try {
    if (readPieces(descriptor, new Uint8Array(buffer, 0, plainBytes)) !== checksum)
      throw new Error(`${file} is damaged: its checksum differs`);
  } finally {
    closeSync(descriptor);
  }
  return buffer;
}

/** Fills the array with the pieces of a file, and returns the checksum of the file. */
function readPieces(descriptor: number, plain: Uint8Array): number {
  const room = Buffer.allocUnsafeSlow(pieceBytes);
  const read = (length: number) => {
    if (length > room.length || readSync(descriptor, room, 0, length, null) < length)
      throw new Error("a file of the index is damaged: a piece ends early");
    return room.subarray(0, length);
  };
  let checksum = 0;
  for (let at = 0; at < plain.length; at += pieceBytes) {
    const length = read(lengthBytes);
    checksum = crc32(length, checksum);
    const stored = read(length.readUInt32LE());
    checksum = crc32(stored, checksum);
    const size = Math.min(pieceBytes, plain.length - at);
    const piece =
      stored.length === size
        ? stored
        : zstdDecompressSync(stored, { chunkSize: size, maxOutputLength: size });
    if (piece.length !== size) throw new Error("a file of the index is damaged: a piece has another size");
    plain.set(piece, at);
  }
  return checksum;
}
